"""The subscriptions that subscribers gave, for statements about their givers."""

# What some subscribers (`:subscribers`) gave, also if an import knows the giver by the email
# address only. Indexes: subscription_by_gifter, subscription_by_gifter_email. CROSS JOIN, IS
# TRUE, and lower() on both sides let SQLite use the second one
GIFTS = """
    SELECT g.gifter_id AS giver_id, g.id, g.subscriber_id, g.status, g.bundle_id
    FROM subscription g
    WHERE g.account_id = :account_id AND g.gifter_id IN (:subscribers...)
    UNION ALL
    SELECT u.id AS giver_id, g.id, g.subscriber_id, g.status, g.bundle_id
    FROM subscriber u
    CROSS JOIN subscription g
    WHERE u.account_id = :account_id
      AND u.id IN (:subscribers...)
      AND g.account_id = :account_id
      AND g.gifter_email IS NOT NULL
      AND lower(g.gifter_email) = lower(u.email_key)
      AND (g.gifter_id IS NULL AND g.is_gift = true) IS TRUE
"""
