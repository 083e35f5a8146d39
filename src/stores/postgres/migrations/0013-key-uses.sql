-- When each API key was last used: see `0014-key-uses.sql` of SQLite.

CREATE TABLE animal_store.key_use (
  key_id bigint PRIMARY KEY,
  day bigint NOT NULL CHECK (day >= 0)
);
