"""Write the schemas of new databases to the golden files: `make schema`."""

import asyncio
import sys
import tempfile

from masthead.store.engine.migrate import migrate
from tests.golden.schema import FILES, schema_of, without_trigrams
from tests.support.postgres import PostgresMissing, open_cluster


def main() -> None:
    """Write both files; without PostgreSQL or its extension pg_trgm, only that of SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        FILES["sqlite"].write_text(_migrated_schema(f"sqlite:///{folder}/masthead.db"))
    try:
        with open_cluster() as cluster:
            schema = _migrated_schema(cluster.create_database())
    except PostgresMissing as reason:
        sys.exit(f"{FILES['postgres'].name} is not written: {reason}.")
    if schema == without_trigrams(schema):
        sys.exit(f"{FILES['postgres'].name} is not written: this PostgreSQL has no pg_trgm.")
    FILES["postgres"].write_text(schema)


def _migrated_schema(url: str) -> str:
    migrate(url)
    return asyncio.run(schema_of(url))


if __name__ == "__main__":
    main()
