-- When each API key was last used. A table of its own: its rows change daily, and a change of `api_key` would make every
-- process look all of its keys up again.

CREATE TABLE key_use (
  key_id INTEGER PRIMARY KEY,
  -- The days since 1970, UTC.
  day INTEGER NOT NULL CHECK (day >= 0)
) STRICT;
