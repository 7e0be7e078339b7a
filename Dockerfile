# docker build --tag masthead .
# docker run --read-only --tmpfs /tmp --volume masthead:/data --publish 8000:8000 masthead
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements requirements
# Of the translations of pycountry, 21 MB, masthead uses the names of countries
RUN python -m venv /opt/build \
 && python -m venv --without-pip /opt/masthead \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt \
 && /opt/build/bin/pip --python /opt/masthead/bin/python install --no-cache-dir --require-hashes -r requirements/run.txt \
 && find /opt/masthead/lib/python3.*/site-packages/pycountry/locales -type f ! -name iso3166-1.mo -delete
COPY pyproject.toml README.md LICENSE ./
COPY masthead masthead
COPY tools/sbom.py tools/sbom.py
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && /opt/build/bin/pip --python /opt/masthead/bin/python install --no-cache-dir --no-deps dist/*.whl \
 && /opt/masthead/bin/python tools/sbom.py > /opt/masthead/sbom.cdx.json

FROM python:3.13-slim
LABEL org.opencontainers.image.title=masthead \
      org.opencontainers.image.description="The self-hosted back office of a magazine publisher" \
      org.opencontainers.image.licenses=MIT
COPY --from=build /opt/masthead /opt/masthead
# pg_dump, pg_restore and psql, for `masthead backup` of a PostgreSQL that is not newer than they are
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-client \
 && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 10001 masthead \
 && useradd --system --uid 10001 --gid masthead --no-create-home --home-dir /data masthead \
 && install --directory --owner masthead --group masthead --mode 0700 /data
ENV PATH=/opt/masthead/bin:$PATH \
    MASTHEAD_DATABASE_URL=sqlite:////data/masthead.db
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/ready', timeout=4)"]
CMD ["masthead", "serve", "--host", "0.0.0.0", "--port", "8000"]
