-- Counts the changes that what was read before does not outlive, whoever makes them. Animals that come behind all
-- others, as nearly all do, are none of these.
CREATE TABLE revision (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  -- An animal was changed or went, or came where it does not stand behind all others.
  past INTEGER NOT NULL DEFAULT 0,
  keys INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO revision (single) VALUES (1);

-- Before it is inserted: one that replaces another removes that without a trigger's being told. Where no id is
-- given, which AUTOINCREMENT then does, there is none yet; such an animal always stands behind all others.
CREATE TRIGGER animal_inserted BEFORE INSERT ON animal
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM animal WHERE id >= NEW.id)
  BEGIN UPDATE revision SET past = past + 1; END;

CREATE TRIGGER animal_updated AFTER UPDATE ON animal BEGIN UPDATE revision SET past = past + 1; END;
CREATE TRIGGER animal_deleted AFTER DELETE ON animal BEGIN UPDATE revision SET past = past + 1; END;

CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key BEGIN UPDATE revision SET keys = keys + 1; END;
