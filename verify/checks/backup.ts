import { BackupSession } from "../backup-session.ts";
import type { Check, Finding } from "../check.ts";

export const backupCheck: Check = {
  name: "backup",
  promise:
    "A backup taken while clients write holds the whole store as it was at one moment during the backup. A restored " +
    "store never reuses an id and never revives a revoked key.",
  unit: "backups",
  share: 8,
  async run(context) {
    if (context.testbed.kind !== "sqlite") return skipped();
    const store = await context.testbed.fresh();
    const session = new BackupSession(context, store);
    await session.write();
    await session.judge();
    await session.goBack();
    return session.finding;
  },
};

function skipped(): Finding {
  const details = [
    "PostgreSQL is backed up with its own tools, pg_dump and pg_restore, which this check does not test",
  ];
  return { verdict: "skipped", details };
}
