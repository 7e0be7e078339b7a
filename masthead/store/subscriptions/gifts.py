"""The subscriptions that subscribers gave and their givers, for statements about them."""

# What some subscribers (`:subscribers`) gave, even if an import knows the giver by the email
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
# The giver of `s`, if it is a gift and the giver has a record: by id, or else by the email address.
# For a merged giver, the one that they were merged into
GIVER_OF = """CASE
              WHEN s.is_gift AND s.gifter_id IS NOT NULL THEN (
                  SELECT coalesce(g.merged_into, g.id)
                  FROM subscriber g
                  WHERE g.account_id = :account_id AND g.id = s.gifter_id
              )
              WHEN s.is_gift AND s.gifter_email IS NOT NULL THEN (
                  SELECT coalesce(g.merged_into, g.id)
                  FROM subscriber g
                  WHERE g.account_id = :account_id AND g.email_key = lower(s.gifter_email)
              )
          END"""
