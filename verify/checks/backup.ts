import { BackupSession } from "../backup-session.ts";
import type { Check, Finding } from "../check.ts";

export const backupCheck: Check = {
  name: "backup",
  promise:
    "A backup that is made while others write is the whole store at one moment between its beginning and its end; " +
    "what is restored goes on with new ids, and does not bring back keys that were revoked.",
  unit: "backups",
  share: 8,
  async run(context) {
    if (context.place.kind !== "sqlite") return leftOut();
    const store = await context.place.fresh();
    const session = new BackupSession(context, store);
    await session.write();
    await session.judge();
    await session.goBack();
    return session.finding;
  },
};

function leftOut(): Finding {
  const told = ["PostgreSQL's own tools do it, pg_dump and pg_restore; nothing was proved of them"];
  return { verdict: "skipped", told };
}
