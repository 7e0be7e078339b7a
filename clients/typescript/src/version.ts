// Generated from the OpenAPI document by `make clients`; do not edit.
export const VERSION = "1.0.0";
