-- Orders. The program writes only `store_order`; triggers let the animal follow, and refuse every change, also by hand,
-- that would let an animal be sold twice or have a status that contradicts its order. Messages are literals, since
-- SQLite takes nothing else before 3.47. Checks run BEFORE the change: an INSERT or UPDATE with OR REPLACE removes the
-- rows in its way without firing the triggers for removals.

CREATE TABLE store_order (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0),
  animal_id INTEGER NOT NULL REFERENCES animal (id),
  status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled')),
  placed_at INTEGER NOT NULL,
  -- When the status last changed.
  updated_at INTEGER NOT NULL CHECK (updated_at >= placed_at)
) STRICT;

-- An animal is in one open order at most, and is sold once at most.
CREATE UNIQUE INDEX one_open_or_delivered_order_per_animal ON store_order (animal_id) WHERE status <> 'cancelled';

-- Lists with filters walk these in the order of ids: every index of SQLite ends with the id.
CREATE INDEX store_order_by_status ON store_order (status);
CREATE INDEX store_order_by_animal_and_status ON store_order (animal_id, status);

CREATE TRIGGER store_order_insertion_checked BEFORE INSERT ON store_order BEGIN
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM store_order WHERE id = NEW.id)
      THEN RAISE(ABORT, 'an order with this id exists')
    WHEN NOT EXISTS (SELECT 1 FROM animal WHERE id = NEW.animal_id)
      THEN RAISE(ABORT, 'there is no animal with this animal_id')
    WHEN NEW.status <> 'cancelled'
        AND EXISTS (SELECT 1 FROM store_order WHERE animal_id = NEW.animal_id AND status <> 'cancelled')
      THEN RAISE(ABORT, 'the animal has an order that is placed, approved or delivered; it can have only one such order')
    WHEN NEW.status IN ('placed', 'approved') AND (SELECT status FROM animal WHERE id = NEW.animal_id) = 'sold'
      THEN RAISE(ABORT, 'the animal is sold, so it cannot be ordered')
  END;
END;

CREATE TRIGGER store_order_inserted AFTER INSERT ON store_order BEGIN
  UPDATE animal SET status = CASE NEW.status WHEN 'delivered' THEN 'sold' ELSE 'pending' END
    WHERE id = NEW.animal_id AND NEW.status <> 'cancelled'
      AND status <> CASE NEW.status WHEN 'delivered' THEN 'sold' ELSE 'pending' END;
  UPDATE revision SET rewrites = rewrites + 1;
END;

CREATE TRIGGER store_order_update_checked BEFORE UPDATE ON store_order BEGIN
  SELECT CASE
    WHEN NEW.id <> OLD.id THEN RAISE(ABORT, 'the id of an order never changes')
    WHEN NEW.animal_id <> OLD.animal_id THEN RAISE(ABORT, 'the animal_id of an order never changes')
    WHEN NEW.status <> OLD.status
        AND (OLD.status, NEW.status) NOT IN (VALUES
          ('placed', 'approved'), ('placed', 'cancelled'), ('approved', 'delivered'), ('approved', 'cancelled'))
      THEN RAISE(ABORT, 'an order can go from placed to approved to delivered, or from placed or approved to cancelled')
  END;
END;

CREATE TRIGGER store_order_updated AFTER UPDATE ON store_order BEGIN
  UPDATE animal
    SET status = CASE NEW.status WHEN 'delivered' THEN 'sold' WHEN 'cancelled' THEN 'available' ELSE 'pending' END
    WHERE id = NEW.animal_id AND NEW.status <> OLD.status
      AND status <> CASE NEW.status WHEN 'delivered' THEN 'sold' WHEN 'cancelled' THEN 'available' ELSE 'pending' END;
  UPDATE revision SET rewrites = rewrites + 1;
END;

CREATE TRIGGER store_order_deletion_checked BEFORE DELETE ON store_order WHEN OLD.status <> 'cancelled' BEGIN
  SELECT RAISE(ABORT, 'only a cancelled order can be deleted');
END;

CREATE TRIGGER store_order_deleted AFTER DELETE ON store_order BEGIN
  UPDATE revision SET rewrites = rewrites + 1;
END;

-- As in 0.2.0, and no animal that has orders is replaced. A trigger of its own would cost every create as much again.
DROP TRIGGER animal_inserted;
CREATE TRIGGER animal_inserted BEFORE INSERT ON animal
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM animal WHERE id >= NEW.id)
  BEGIN
    SELECT RAISE(ABORT, 'an animal with this id exists and has orders')
      WHERE EXISTS (SELECT 1 FROM store_order WHERE animal_id = NEW.id);
    UPDATE revision SET rewrites = rewrites + 1;
  END;

-- Without a list of columns: UPDATE OF id would miss a change of the rowid, which is the same.
CREATE TRIGGER animal_update_checked BEFORE UPDATE ON animal WHEN NEW.id <> OLD.id OR NEW.status <> OLD.status BEGIN
  SELECT CASE
    WHEN NEW.id <> OLD.id AND EXISTS (SELECT 1 FROM store_order WHERE animal_id IN (OLD.id, NEW.id))
      THEN RAISE(ABORT, 'the id of an animal that has orders cannot change')
    WHEN EXISTS (
        SELECT 1 FROM store_order WHERE animal_id = NEW.id AND status <> 'cancelled'
          AND NEW.status <> CASE status WHEN 'delivered' THEN 'sold' ELSE 'pending' END)
      THEN RAISE(ABORT, 'the animal has an order: it is pending until the order is delivered or cancelled, and sold once it is delivered')
  END;
END;

CREATE TRIGGER animal_deletion_checked BEFORE DELETE ON animal
  WHEN EXISTS (SELECT 1 FROM store_order WHERE animal_id = OLD.id)
  BEGIN SELECT RAISE(ABORT, 'the animal has orders, so it cannot be deleted'); END;

-- The order that the first request placed; NULL where it added an animal. A replay needs no more than this record: the
-- order was placed when the record was made.
ALTER TABLE idempotency_key ADD COLUMN order_id INTEGER;
