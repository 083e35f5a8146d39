-- What operators have changed and removed by `animal-store animals`: who did it, when, and what was there before.
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

CREATE INDEX stock_correction_by_animal ON stock_correction (animal_id);
