"""Tests of `/v1/orders/`, products, refunds and corrections."""
