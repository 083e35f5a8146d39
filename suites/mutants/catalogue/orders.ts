import type { Mutant } from "../mutant.ts";

// What the databases themselves promise of orders. The domain promises the same, so only changes by hand show a fault.

const ON_SQLITE = {
  file: "src/stores/sqlite/migrations/0011-orders.sql",
  noticedBy: "test/sqlite/orders.test.ts",
};
const ON_POSTGRES = {
  file: "src/stores/postgres/migrations/0011-orders.sql",
  noticedBy: "test/postgres/orders.test.ts",
};

const PLANS_ON_POSTGRES = { ...ON_POSTGRES, noticedBy: "suites/postgres-servers/trigger-plans.test.ts" };

export const ORDERS: readonly Mutant[] = [
  {
    ...ON_SQLITE,
    breaks: "two open orders for an animal on SQLite, as far as its index allows",
    from: "CREATE UNIQUE INDEX one_open",
    to: "CREATE INDEX one_open",
    title: "without its triggers, SQLite still has one order for each animal that is not cancelled",
  },
  {
    ...ON_SQLITE,
    breaks: "an open order that SQLite replaces by another",
    from: "AND EXISTS (SELECT 1 FROM store_order WHERE animal_id = NEW.animal_id AND status <> 'cancelled')",
    to: "AND EXISTS (SELECT 1 FROM store_order WHERE animal_id = NEW.animal_id AND status = 'delivered')",
    title: "INSERT OR REPLACE INTO store_order (id, animal_id, status, placed_at, updated_at) VALUES (9, 1",
  },
  {
    ...ON_SQLITE,
    breaks: "an order on SQLite for an animal that is sold",
    from: "WHEN NEW.status IN ('placed', 'approved') AND",
    to: "WHEN NEW.status IN ('placed') AND",
    title: "an approved order for an animal that is sold without one",
  },
  {
    ...ON_SQLITE,
    breaks: "a delivery on SQLite without an approval",
    from: "('placed', 'approved'), ('placed', 'cancelled'),",
    to: "('placed', 'approved'), ('placed', 'delivered'), ('placed', 'cancelled'),",
    title: "a delivery of a placed order",
  },
  {
    ...ON_SQLITE,
    breaks: "an animal on SQLite that is pending though it was delivered",
    from: "UPDATE animal SET status = CASE NEW.status WHEN 'delivered' THEN 'sold' ELSE 'pending' END\n",
    to: "UPDATE animal SET status = 'pending'\n",
    title: "a delivered order for an available animal",
  },
  {
    ...ON_SQLITE,
    breaks: "an animal on SQLite whose status contradicts its order",
    from: "AND NEW.status <> CASE status WHEN 'delivered' THEN 'sold' ELSE 'pending' END)\n      THEN",
    to: "AND NEW.status = 'none')\n      THEN",
    title: "an ordered animal that is available",
  },
  {
    ...ON_SQLITE,
    breaks: "an animal on SQLite that is removed beside its cancelled order",
    from: "BEFORE DELETE ON animal\n  WHEN EXISTS (SELECT 1 FROM store_order WHERE animal_id = OLD.id)",
    to: "BEFORE DELETE ON animal\n  WHEN EXISTS (SELECT 1 FROM store_order WHERE animal_id = OLD.id AND status <> 'cancelled')",
    title: "the removal of an animal whose order was cancelled",
  },
  {
    ...ON_SQLITE,
    breaks: "the id of an order that SQLite gives twice",
    from: "id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id > 0)",
    to: "id INTEGER PRIMARY KEY CHECK (id > 0)",
    title: "the removal of orders, whose ids are not given again",
  },
  {
    ...ON_POSTGRES,
    breaks: "two open orders for an animal on PostgreSQL",
    from: "CREATE UNIQUE INDEX one_open",
    to: "CREATE INDEX one_open",
    title: "a second open order",
  },
  {
    ...ON_POSTGRES,
    breaks: "an animal on PostgreSQL that is delivered twice",
    from: "WHERE status <> 'cancelled';\nCREATE INDEX store_order_by_status",
    to: "WHERE status IN ('placed', 'approved');\nCREATE INDEX store_order_by_status",
    title: "a second delivered order",
  },
  {
    ...ON_POSTGRES,
    breaks: "an order on PostgreSQL for an animal that is sold",
    from: "IF followed < cardinality(pending) THEN",
    to: "IF followed < 0 THEN",
    title: "an order for an animal that is sold without one",
  },
  {
    ...ON_POSTGRES,
    breaks: "a delivery on PostgreSQL without an approval",
    from: "NOT IN (('placed', 'approved'), ('placed', 'cancelled'),",
    to: "NOT IN (('placed', 'approved'), ('placed', 'delivered'), ('placed', 'cancelled'),",
    title: "a delivery of a placed order",
  },
  {
    ...ON_POSTGRES,
    breaks: "an animal on PostgreSQL that does not follow its order",
    from: "FILTER (WHERE status = 'cancelled')",
    to: "FILTER (WHERE status = 'unknown')",
    title: "a cancellation of all open orders",
  },
  {
    ...ON_POSTGRES,
    breaks: "an animal on PostgreSQL whose status contradicts its order",
    from: "WHERE a.status <> CASE o.status WHEN 'delivered' THEN 'sold' ELSE 'pending' END LIMIT 1;",
    to: "WHERE false LIMIT 1;",
    title: "an ordered animal that is available",
  },
  {
    ...ON_POSTGRES,
    breaks: "an order on PostgreSQL for no animal of the store",
    from: " REFERENCES animal_store.animal (id)",
    to: "",
    title: "a cancelled order for an animal that is not there",
  },
  {
    ...ON_POSTGRES,
    breaks: "an open order that PostgreSQL lets go",
    from: "WHEN (OLD.status <> 'cancelled') EXECUTE FUNCTION animal_store.refuse_order_change();",
    to: "WHEN (OLD.status = 'delivered') EXECUTE FUNCTION animal_store.refuse_order_change();",
    title: "the removal of a placed order",
  },
  {
    ...ON_POSTGRES,
    breaks: "the id of an order that PostgreSQL gives again",
    from: "    PERFORM setval('animal_store.store_order_id_seq', highest);\n    RETURN highest;\n",
    to: "    RETURN highest;\n",
    noticedBy: "suites/postgres-servers/orders-by-hand.test.ts",
    title: "orders succeed although ids were taken without triggers, as by logical replication",
  },
  {
    breaks: "a change of an order on SQLite that has changed meanwhile",
    file: "src/stores/sqlite/writer/order-changes.ts",
    from: "if (version !== undefined && version !== versionOf(order))",
    to: 'if (version === "unknown")',
    noticedBy: "test/sqlite/orders.test.ts",
    title: "is made if the order is as expected, and otherwise returns the order as it is",
  },
  {
    breaks: "a change of an order on PostgreSQL that has changed meanwhile",
    file: "src/stores/postgres/update-orders.ts",
    from: "asked.version IS NULL OR",
    to: "asked.version <> 'unknown' OR asked.version IS NULL OR",
    noticedBy: "test/postgres/orders.test.ts",
    title: "is made if the order is as expected, and otherwise returns the order as it is",
  },
  {
    breaks: "a weak tag that matches",
    file: "src/operations/entity-tag.ts",
    from: '.filter((tag) => !tag.startsWith("W/"))',
    to: '.map((tag) => tag.replace(/^W./, ""))',
    noticedBy: "test/http/contract.test.ts",
    title: "an order with If-Match changes only if it is as the client knows it",
  },
  {
    ...PLANS_ON_POSTGRES,
    breaks: "that the animals of new orders are looked up by their ids, whatever the planner expects",
    from: "UPDATE animal_store.animal SET status = 'pending' WHERE id = ANY (pending) AND status <> 'sold';",
    to: "UPDATE animal_store.animal a SET status = 'pending' FROM added o WHERE a.id = o.animal_id AND a.status <> 'sold';",
    title: "an order reads a few blocks after a batch of 1000 on a store that was known to be small",
  },
  {
    ...PLANS_ON_POSTGRES,
    breaks: "that the orders of changed animals are looked up by their animals, whatever the planner expects",
    from: "WHERE animal_id = a.id AND status <> 'cancelled' LIMIT 1) o",
    to: "WHERE animal_id = a.id AND status <> 'cancelled') o",
    title: "an order reads a few blocks after a batch of 1000 on a store that was known to be small",
  },
  {
    breaks:
      "a list of orders with a status that reads all orders with another, on the thread that serves requests",
    file: "src/stores/sqlite/orders.ts",
    from: 'byStatus: sorted("status = +? AND"),',
    to: 'byStatus: sorted("+status = +? AND"),',
    noticedBy: "test/sqlite/statements.test.ts",
    title: "no statement of the thread that serves requests reads more as the store grows",
  },
];
