-- The schema of 0.2.0, the first release. Times are milliseconds since 1970, UTC. The constraints repeat what the domain
-- checks, to catch our own mistakes.

CREATE TABLE animal (
  -- AUTOINCREMENT: an id is never given twice, whatever is lost or removed.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;

-- Lists with a filter walk (status, id): every index of SQLite ends with the id.
CREATE INDEX animal_by_status ON animal (status);

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256: the key itself is stored nowhere.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  -- The key works in this environment only.
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
  -- The id of the key that a chain of rotations began with. NULL: this key is the first of its line.
  line INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL CHECK (length(value) >= 32)
) STRICT, WITHOUT ROWID;

-- The creates that may be repeated, by the client's `Idempotency-Key`. A retry brings the content along and `digest`
-- vouches for it, so the animal's id is all that the first response adds.
CREATE TABLE idempotency_key (
  -- The line of API keys that the record belongs to.
  line INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256, in hexadecimal.
  digest TEXT NOT NULL CHECK (length(digest) = 64),
  animal_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (line, key)
) STRICT, WITHOUT ROWID;

-- Expired records are looked for by their age.
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);

-- The files that were imported, known by their content, so that no file is imported twice.
CREATE TABLE import (
  -- SHA-256 of the file, in hexadecimal.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- How many of the file's animals are published, and how many the file has.
  done INTEGER NOT NULL CHECK (done BETWEEN 0 AND total),
  total INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The store that is being copied into this one, until the copy is complete.
CREATE TABLE incomplete_copy (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  source TEXT NOT NULL
) STRICT;

-- What operators changed and removed with `animal-store animals`: by whom, when, and what was there before.
CREATE TABLE stock_correction (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_at INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  animal_id INTEGER NOT NULL,
  name_before TEXT NOT NULL,
  category_id_before INTEGER NOT NULL,
  status_before TEXT NOT NULL,
  -- All three are NULL where the animal was removed.
  name_after TEXT,
  category_id_after INTEGER,
  status_after TEXT,
  CHECK ((name_after IS NULL) = (category_id_after IS NULL) AND (name_after IS NULL) = (status_after IS NULL))
) STRICT;

CREATE INDEX stock_correction_by_animal ON stock_correction (animal_id);

-- Counts the changes that invalidate what was read before, whoever makes them. Appended animals, which nearly all are,
-- are not counted here.
CREATE TABLE revision (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  -- An animal was changed or removed, or was added with an id that is not the highest.
  rewrites INTEGER NOT NULL DEFAULT 0,
  keys INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO revision (single) VALUES (1);

-- BEFORE: an INSERT that replaces a row removes that row without firing the trigger for removals. Where AUTOINCREMENT
-- gives the id, NEW.id is not known yet, and the animal is always appended.
CREATE TRIGGER animal_inserted BEFORE INSERT ON animal
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM animal WHERE id >= NEW.id)
  BEGIN UPDATE revision SET rewrites = rewrites + 1; END;

CREATE TRIGGER animal_updated AFTER UPDATE ON animal BEGIN UPDATE revision SET rewrites = rewrites + 1; END;
CREATE TRIGGER animal_deleted AFTER DELETE ON animal BEGIN UPDATE revision SET rewrites = rewrites + 1; END;

CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
