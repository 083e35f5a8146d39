-- The constraints repeat what the domain checks: they are there to catch our own mistakes.

CREATE TABLE animal (
  -- AUTOINCREMENT: an id is never given twice, whatever is lost or removed.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;

-- Lists with a filter walk (status, id); the id is in every index of SQLite's.
CREATE INDEX animal_by_status ON animal (status);

-- Times are milliseconds since 1970, UTC.
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256: the key itself is nowhere.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL CHECK (length(value) >= 32)
) STRICT, WITHOUT ROWID;
