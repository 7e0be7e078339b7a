"""FastAPI and SQLAlchemy's ORM: async engine, selectinload, answers as return types."""
