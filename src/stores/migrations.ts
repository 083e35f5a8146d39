import postgres020 from "./postgres/migrations/0010-release-0.2.0.sql" with { type: "text" };
import postgresOrders from "./postgres/migrations/0011-orders.sql" with { type: "text" };
import postgresEvents from "./postgres/migrations/0012-events.sql" with { type: "text" };
import postgresKeyUses from "./postgres/migrations/0013-key-uses.sql" with { type: "text" };
import postgresStandbys from "./postgres/migrations/0014-standbys.sql" with { type: "text" };
import postgresIdentity from "./postgres/migrations/0015-identity.sql" with { type: "text" };
import sqlite020 from "./sqlite/migrations/0010-release-0.2.0.sql" with { type: "text" };
import sqliteOrders from "./sqlite/migrations/0011-orders.sql" with { type: "text" };
import sqliteEvents from "./sqlite/migrations/0012-events.sql" with { type: "text" };
import sqliteIdentity from "./sqlite/migrations/0013-store-identity.sql" with { type: "text" };
import sqliteKeyUses from "./sqlite/migrations/0014-key-uses.sql" with { type: "text" };

// In order; a released migration never changes, and only adds: neighbouring versions serve side by side.

/** `user_version` is the number of the last migration that was applied. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  sqlite020,
  sqliteOrders,
  sqliteEvents,
  sqliteIdentity,
  sqliteKeyUses,
];

/** A migration that locks tables locks `state` first, as creates do. */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  postgres020,
  postgresOrders,
  postgresEvents,
  postgresKeyUses,
  postgresStandbys,
  postgresIdentity,
];
