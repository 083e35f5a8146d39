-- The files that were imported, each known by its content: see the SQLite migration of the same name.
CREATE TABLE animal_store.import (
  digest text PRIMARY KEY CHECK (char_length(digest) = 64),
  done bigint NOT NULL CHECK (done BETWEEN 0 AND total),
  total bigint NOT NULL,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  finished_at bigint NOT NULL
);

-- The store that is being copied into this one, until all of it is here.
CREATE TABLE animal_store.copy_under_way (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  source text NOT NULL
);
