// Generated from the folders `migrations` by `npm run generate`: do not edit. A build takes what is imported here.

import postgres0010 from "./postgres/migrations/0010-release-0.2.0.sql" with { type: "text" };
import postgres0011 from "./postgres/migrations/0011-orders.sql" with { type: "text" };
import postgres0012 from "./postgres/migrations/0012-events.sql" with { type: "text" };
import postgres0013 from "./postgres/migrations/0013-key-uses.sql" with { type: "text" };
import postgres0014 from "./postgres/migrations/0014-standbys.sql" with { type: "text" };
import postgres0015 from "./postgres/migrations/0015-identity.sql" with { type: "text" };
import postgres0016 from "./postgres/migrations/0016-histories.sql" with { type: "text" };
import postgres0017 from "./postgres/migrations/0017-feed-server.sql" with { type: "text" };
import sqlite0010 from "./sqlite/migrations/0010-release-0.2.0.sql" with { type: "text" };
import sqlite0011 from "./sqlite/migrations/0011-orders.sql" with { type: "text" };
import sqlite0012 from "./sqlite/migrations/0012-events.sql" with { type: "text" };
import sqlite0013 from "./sqlite/migrations/0013-store-identity.sql" with { type: "text" };
import sqlite0014 from "./sqlite/migrations/0014-key-uses.sql" with { type: "text" };

// In order; a released migration never changes, and only adds: neighbouring versions serve side by side.

/** A migration that locks tables locks `state` first, as creates do. */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  postgres0010,
  postgres0011,
  postgres0012,
  postgres0013,
  postgres0014,
  postgres0015,
  postgres0016,
  postgres0017,
];

/** `user_version` is the number of the last migration that was applied. */
export const SQLITE_MIGRATIONS: readonly string[] = [
  sqlite0010,
  sqlite0011,
  sqlite0012,
  sqlite0013,
  sqlite0014,
];
