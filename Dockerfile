# docker build -t masthead .
# docker run -p 8000:8000 -v masthead:/data masthead
FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /opt/masthead
COPY requirements requirements
RUN /opt/masthead/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt \
 && python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY masthead masthead
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && /opt/masthead/bin/pip install --no-cache-dir --no-deps dist/*.whl

FROM python:3.13-slim
COPY --from=build /opt/masthead /opt/masthead
RUN useradd --system --uid 10001 masthead && install -d -o masthead -m 0700 /data
ENV PATH=/opt/masthead/bin:$PATH \
    MASTHEAD_DATABASE_URL=sqlite:////data/masthead.db
USER masthead
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/ready')"]
CMD ["masthead", "serve", "--host", "0.0.0.0", "--port", "8000"]
