-- Which store this is. The numbers of two stores' logs are the same, and an empty log has no token, so a standby shows this
-- with its marks. `copy` and `import` leave the identity of the store that they fill as it is; a dump carries it, and its
-- store has the same history up to then.

-- In the order in which creates and rewrites lock them.
LOCK TABLE animal_store.state IN ACCESS EXCLUSIVE MODE;

ALTER TABLE animal_store.state ADD COLUMN identity uuid NOT NULL DEFAULT gen_random_uuid();
