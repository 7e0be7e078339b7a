"""Presets: how the exports of other systems become orders, one module for each system."""
