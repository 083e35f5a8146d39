import { expect, test } from "bun:test";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { until } from "../../test/support/until.ts";
import { Machine, SUPERUSER } from "../fresh-machine/machine.ts";
import { Booted } from "./booted.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ git: "git", mmdebstrap: "mmdebstrap", "systemd-nspawn": "systemd-container" });

const PAGE = readFileSync(join(import.meta.dir, "../../docs/operations.md"), "utf8");
const STEPS = samplesIn(/^### On one machine$(.*?)^### /ms);
/** The step that needs a network, which a booted machine does not have. */
const CLONE = /^git clone … (\S+) && \(cd \1 && (.+)\)$/m;
const STORE = "var/lib/animal-store/animal-store.db";
const AS_USER = "cd /var/lib/animal-store && runuser -u animal-store -- animal-store";

/** The lines for the shell in a section of the page. */
function samplesIn(section: RegExp): string {
  const [, text = ""] = section.exec(PAGE) ?? [];
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, sample]) => sample).join("");
}

if (PARTS.has("the steps of operations.md"))
  test(
    "the steps of operations.md, typed without a pause, start a service that makes backups and sees its old readers",
    async () => {
      using machine = await Machine.make("bookworm", ["systemd", "systemd-sysv", "dbus"]);
      const [, folder = "", install = ""] = CLONE.exec(STEPS) ?? [];
      await machine.clone(SUPERUSER, folder);
      await using installing = machine.start(SUPERUSER, folder, install);
      expect((await installing.child.ended()).exitCode).toBe(0);

      await using booted = new Booted(machine.root);
      await booted.isUp();
      const key = await booted.runs(`set -e; ${STEPS.replace(CLONE, "true")}`);
      expect(key).toMatch(/^as_live_\w+$/);
      await until(async () => (await booted.runs("ls /var/backups/animal-store")).endsWith(".db"));
      // A command has the service's settings.
      expect(await booted.runs(`${AS_USER} config`)).toMatch(/^BACKUP_EVERY +1h /m);
      // The alert AnimalStoreOldReader needs it, and the service learns it from a file that a unit can hide.
      const metrics = await booted.runs(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/9464 && printf \"GET /metrics HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n\" >&3 && cat <&3'",
      );
      expect(metrics).toMatch(/^animal_store_wal_oldest_reader_seconds 0\r?$/m);

      // What a start lacks may come back late: more failures in a row than systemd allows by default.
      const store = join(machine.root, STORE);
      await booted.runs("systemctl stop animal-store");
      renameSync(store, `${store}.kept`);
      writeFileSync(store, "no store");
      await booted.runs("systemctl start animal-store && exit 1 || true");
      await until(async () => Number(await booted.runs("systemctl show -P NRestarts animal-store")) > 5);
      renameSync(`${store}.kept`, store);
      await until(async () => (await booted.runs("systemctl is-active animal-store || true")) === "active");
      await booted.runs(`${AS_USER} ready`);
    },
    LONG_RUN_MS,
  );
