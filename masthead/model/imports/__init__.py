"""The data and pure rules of imports: tables, values, mappings and batches."""
