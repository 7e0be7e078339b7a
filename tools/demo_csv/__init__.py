"""How the demo publication's data is drawn: issues, people, orders, kinds of subscriptions."""
