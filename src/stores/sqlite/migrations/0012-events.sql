-- The feed: what changed, and in which order. The program writes an event in the transaction of its change, where `feed`
-- says so; changes by hand are not recorded.

CREATE TABLE event (
  -- AUTOINCREMENT: ids ascend in the order of commits, since SQLite has one writer at a time.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  type TEXT NOT NULL
    CHECK (type IN ('animal.created', 'animal.status_changed', 'order.placed', 'order.status_changed')),
  at INTEGER NOT NULL,
  -- The animal that changed, or that of the order that changed.
  animal_id INTEGER NOT NULL,
  name TEXT,
  category_id INTEGER,
  -- Of the animal, or of the order, after the change.
  status TEXT NOT NULL,
  order_id INTEGER,
  placed_at INTEGER,
  -- Events of animals have a name and a category, those of orders an order and when it was placed.
  CHECK ((order_id IS NULL) = (type IN ('animal.created', 'animal.status_changed'))),
  CHECK ((placed_at IS NULL) = (order_id IS NULL)),
  CHECK ((name IS NULL) = (order_id IS NOT NULL) AND (category_id IS NULL) = (order_id IS NOT NULL))
) STRICT;

-- Lists by type walk (type, id).
CREATE INDEX event_by_type ON event (type);

CREATE TABLE feed (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  recording INTEGER NOT NULL DEFAULT 0 CHECK (recording IN (0, 1)),
  -- A reader that has read no further than before this id has missed events: they were deleted for their age, or
  -- changes were not recorded for a time.
  expired_through INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO feed (single) VALUES (1);
