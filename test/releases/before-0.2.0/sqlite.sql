PRAGMA application_id = 1095652180;
PRAGMA user_version = 7;
CREATE TABLE animal (
  -- AUTOINCREMENT: an id is never given twice, whatever is lost or removed.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256: the key itself is nowhere.
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
, line INTEGER, environment TEXT CHECK (environment IN ('production', 'staging'))) STRICT;
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL CHECK (length(value) >= 32)
) STRICT, WITHOUT ROWID;
CREATE TABLE retry (
  api_key_id INTEGER NOT NULL,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256, in hexadecimal.
  digest TEXT NOT NULL CHECK (length(digest) = 64),
  animal_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, key)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE copy_under_way (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  source TEXT NOT NULL
) STRICT;
CREATE TABLE revision (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  -- An animal was changed or went, or came where it does not stand behind all others.
  past INTEGER NOT NULL DEFAULT 0,
  keys INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE stock_correction (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Milliseconds since 1970, UTC.
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
INSERT INTO animal VALUES (1, 'Rex', 9223372036854775807, 'available');
INSERT INTO animal VALUES (2, 'Bella 🐈', -7, 'sold');
INSERT INTO animal VALUES (4, 'imported', 5, 'available');
INSERT INTO api_key VALUES (1, x'd96e65f4539b5a13da5d3990bbc6d1a5f32cc87a9e5885f3945388f48af647ea', 'first key', '["pets:read","pets:write"]', 1795315538553, NULL, NULL, NULL, 'production');
INSERT INTO secret VALUES ('cursor', x'03380eb2ca34a29f3a9727eaff9c4c0c9ea422817183940aabfbd2fd26cf2191');
INSERT INTO retry VALUES (1, 'first', 'd3dbeaf794826179c9e807606a6b472fbb23f155985b90f9b1cdce69db65ae14', 1, 1795315539014);
INSERT INTO import VALUES ('18dc5d2d43ef9df4fb35c40532681bceaad9989d9f3c78b11c41d4fefe779af0', 1, 1, 4, 4, 1795315541487);
INSERT INTO revision VALUES (1, 2, 1);
INSERT INTO stock_correction VALUES (1, 1795315539730, 'clerk@shop', 2, 'Bella 🐈', -7, 'pending', 'Bella 🐈', -7, 'sold');
INSERT INTO stock_correction VALUES (2, 1795315541088, 'clerk@shop', 3, 'gone', 1, 'sold', NULL, NULL, NULL);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('api_key', 1);
INSERT INTO sqlite_sequence VALUES ('animal', 4);
INSERT INTO sqlite_sequence VALUES ('stock_correction', 2);
CREATE INDEX animal_by_status ON animal (status);
CREATE INDEX retry_by_age ON retry (created_at);
CREATE TRIGGER animal_updated AFTER UPDATE ON animal BEGIN UPDATE revision SET past = past + 1; END;
CREATE TRIGGER animal_deleted AFTER DELETE ON animal BEGIN UPDATE revision SET past = past + 1; END;
CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE INDEX stock_correction_by_animal ON stock_correction (animal_id);
CREATE TRIGGER animal_inserted BEFORE INSERT ON animal
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM animal WHERE id >= NEW.id)
  BEGIN UPDATE revision SET past = past + 1; END;
