"""The JSON door: bytes in, structs out."""
