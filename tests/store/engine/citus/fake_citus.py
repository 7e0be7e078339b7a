"""Citus as SQL functions in an ordinary database: they note what they are asked for.

Like the real ones, they refuse a table with a foreign key to or from a table that is elsewhere.
"""

FAKE_CITUS = """
CREATE TABLE fake_citus (name text PRIMARY KEY, kind text, at_column text, colocation int);
CREATE TABLE fake_emptied (name text PRIMARY KEY);
CREATE TABLE pg_dist_node (nodename text, nodeport int, isactive boolean, shouldhaveshards boolean);
INSERT INTO pg_dist_node VALUES ('10.0.0.2', 5432, true, true), ('10.0.0.1', 5432, true, false);
CREATE TABLE fake_health (
    from_nodename text, from_nodeport int, to_nodename text, to_nodeport int, result boolean
);
INSERT INTO fake_health VALUES
    ('10.0.0.1', 5432, '10.0.0.1', 5432, true), ('10.0.0.1', 5432, '10.0.0.2', 5432, true),
    ('10.0.0.2', 5432, '10.0.0.1', 5432, true), ('10.0.0.2', 5432, '10.0.0.2', 5432, true);
CREATE FUNCTION citus_check_cluster_node_health() RETURNS SETOF fake_health
    LANGUAGE sql AS $$ SELECT * FROM fake_health $$;
CREATE FUNCTION run_command_on_all_nodes(command text)
    RETURNS TABLE (success boolean, result text)
    LANGUAGE sql AS $$
        SELECT isactive, CASE WHEN isactive THEN '1000' ELSE 'connection refused' END
        FROM pg_dist_node
    $$;
CREATE VIEW pg_dist_partition AS
    SELECT CAST(name AS regclass) AS logicalrelid, nullif(at_column, '<none>') AS partkey,
        CASE kind WHEN 'reference' THEN 't' ELSE 's' END AS repmodel, colocation AS colocationid
    FROM fake_citus;
CREATE FUNCTION column_to_column_name(of_table regclass, partkey text) RETURNS text
    LANGUAGE sql AS 'SELECT partkey';
CREATE FUNCTION fake_place(wanted regclass, kind text, at_column text, colocation int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_constraint WHERE contype = 'f' AND wanted IN (conrelid, confrelid)
    ) THEN
        RAISE EXCEPTION 'cannot distribute %: it has foreign keys', wanted;
    END IF;
    INSERT INTO fake_citus VALUES (wanted::text, kind, at_column, colocation);
END
$$;
CREATE FUNCTION create_reference_table(wanted regclass) RETURNS void
    LANGUAGE sql AS $$ SELECT fake_place(wanted, 'reference', '<none>', 1) $$;
CREATE FUNCTION create_distributed_table(wanted regclass, at_column text, colocate_with text)
    RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF colocate_with <> 'none' THEN
        PERFORM FROM fake_citus WHERE name = colocate_with;
        IF NOT FOUND THEN RAISE EXCEPTION 'no table %', colocate_with; END IF;
    END IF;
    PERFORM fake_place(wanted, 'distributed', at_column, 2);
END
$$;
CREATE FUNCTION undistribute_table(wanted regclass) RETURNS void
    LANGUAGE sql AS $$ DELETE FROM fake_citus WHERE name = wanted::text $$;
CREATE FUNCTION truncate_local_data_after_distributing_table(wanted regclass) RETURNS void
    LANGUAGE sql AS $$ INSERT INTO fake_emptied VALUES (wanted::text) ON CONFLICT DO NOTHING $$;
"""
