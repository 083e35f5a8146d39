-- Reads from standbys. A row of a log tells how far a server has come, and its token whether two servers have come there
-- together: after a promotion two histories have rows with the same numbers, and their tokens differ.

-- In the order in which creates and rewrites lock them.
LOCK TABLE animal_store.state IN ACCESS EXCLUSIVE MODE;
LOCK TABLE animal_store.rewrite_lock IN ACCESS EXCLUSIVE MODE;

ALTER TABLE animal_store.append_log ADD COLUMN token double precision NOT NULL DEFAULT random();
ALTER TABLE animal_store.rewrite_log ADD COLUMN token double precision NOT NULL DEFAULT random();
