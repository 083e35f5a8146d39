-- Which store this is. A backup has the identity of its store; a store that is restored from it gets another.
CREATE TABLE store_identity (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  id TEXT NOT NULL CHECK (length(id) = 32),
  -- When this file was made as a backup, in milliseconds since 1970; NULL in a store.
  backed_up_at INTEGER
) STRICT;

INSERT INTO store_identity (single, id) VALUES (1, lower(hex(randomblob(16))));
