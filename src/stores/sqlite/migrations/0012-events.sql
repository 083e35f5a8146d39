-- The feed: what changed, and in which order. The program writes an event in the transaction of its change, where `feed`
-- says so; changes by hand are not recorded.

CREATE TABLE event (
  -- Of the last event that the row holds; its other events have the ids before. AUTOINCREMENT: ids ascend in the order
  -- of commits, since SQLite has one writer at a time.
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  type TEXT NOT NULL
    CHECK (type IN ('animal.created', 'animal.status_changed', 'order.placed', 'order.status_changed')),
  at INTEGER NOT NULL,
  -- How many events the row holds. Animals that are created in one transaction share rows: a row for each would make a
  -- create a fifth dearer.
  events INTEGER NOT NULL DEFAULT 1 CHECK (events > 0 AND events = json_array_length(items)),
  -- What each event holds: [id, name, categoryId, status] of an animal, or [id, petId, status, placedAt] of an order, as
  -- it was after the change. The int64s are strings.
  items TEXT NOT NULL,
  -- The last member of an item tells the two apart.
  CHECK (coalesce(json_type(items, '$[0][3]'), 'none')
         = CASE WHEN type IN ('order.placed', 'order.status_changed') THEN 'integer' ELSE 'text' END)
) STRICT;

-- Lists by type walk (type, id).
CREATE INDEX event_by_type ON event (type);

-- Expired events are looked for by their time: the clock may have been ahead when the oldest were written.
CREATE INDEX event_by_time ON event (at);

CREATE TABLE feed (
  single INTEGER PRIMARY KEY CHECK (single = 1),
  recording INTEGER NOT NULL DEFAULT 0 CHECK (recording IN (0, 1)),
  -- A reader that has read no further than before this id has missed events: they were deleted for their age, or
  -- changes were not recorded for a time.
  expired_through INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO feed (single) VALUES (1);
