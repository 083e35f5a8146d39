-- The files that were imported, each known by its content, so that none comes twice.
CREATE TABLE import (
  -- SHA-256 of the file, in hexadecimal.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- How many of its animals are here, and how many are to be.
  done INTEGER NOT NULL CHECK (done BETWEEN 0 AND total),
  total INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The store that is being copied into this one, until all of it is here.
CREATE TABLE copy_under_way (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  source TEXT NOT NULL
) STRICT;
