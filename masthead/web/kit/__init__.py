"""What all pages share: routing, context, forms, rendering and formatting."""
