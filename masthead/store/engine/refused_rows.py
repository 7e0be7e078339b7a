"""The errors of rows that break a key or a rule of their table, on both databases."""

import apsw
import asyncpg

REFUSED_ROWS = (apsw.ConstraintError, asyncpg.IntegrityConstraintViolationError)
