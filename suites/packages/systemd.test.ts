import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { buildDebianPackage, DEBIAN_ARCHITECTURES } from "../../scripts/debian/build.ts";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { targetsNamed } from "../../scripts/executable/targets.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { isThere, signalAll } from "../../test/support/processes.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { until } from "../../test/support/until.ts";
import { Machine } from "../fresh-machine/machine.ts";
import { Booted } from "./booted.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ mmdebstrap: "mmdebstrap", "systemd-nspawn": "systemd-container" });

const AS_USER = "cd /var/lib/animal-store && runuser -u animal-store -- animal-store";

if (PARTS.has("the Debian package under systemd")) testUnderSystemd();

function testUnderSystemd(): void {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.make("bookworm", ["systemd", "systemd-sysv", "dbus"]);
  }, LONG_RUN_MS);
  afterAll(() => machine?.[Symbol.dispose]());

  test(
    "systemd starts the installed service in its hardened unit, restarts it after a kill, and stops it with its package",
    async () => {
      using folder = temporaryFolder();
      const [target] = targetsNamed(["here"]);
      const architecture = DEBIAN_ARCHITECTURES[target?.name ?? ""];
      if (!target || !architecture) throw new Error("this suite needs Debian on x64 or arm64");
      const executable = join(folder.path, "animal-store");
      await buildExecutable(target, executable);
      const built = await buildDebianPackage({ executable, architecture, time: "1790000000" }, folder.path);
      copyFileSync(built, join(machine.root, "srv/animal-store.deb"));

      await using booted = new Booted(machine.root);
      await booted.isUp();
      const property = async (name: string) => await booted.runs(`systemctl show -P ${name} animal-store`);
      const isReady = async () => await booted.runs(`${AS_USER} ready --quiet && echo yes || true`);

      await booted.runs("dpkg --install /srv/animal-store.deb");
      await until(isReady);
      await booted.runs(`${AS_USER} seed --count 3 --quiet`);
      expect(await property("UnitFileState")).toBe("enabled");
      // What the unit forbids holds for the running process: no new privileges, no capabilities, a filter of system calls.
      const status = await booted.runs(`cat /proc/${await property("MainPID")}/status`);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^CapBnd:\t0+$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);

      await booted.runs("systemctl kill --kill-whom=main --signal=KILL animal-store");
      await until(async () => (await property("NRestarts")) === "1" && (await isReady()));

      await booted.runs("systemctl restart animal-store");
      await until(isReady);
      await booted.runs("systemctl stop animal-store");
      expect(await booted.runs("systemctl show -P Result -P ExecMainStatus animal-store")).toBe("success\n0");

      await booted.runs("systemctl start animal-store");
      await until(isReady);
      await booted.runs("dpkg --install /srv/animal-store.deb");
      await until(isReady);
      await booted.runs("dpkg --remove animal-store");
      expect(await booted.runs("systemctl is-active animal-store || true")).toBe("inactive");
      await booted.runs("test -s /var/lib/animal-store/animal-store.db");
    },
    LONG_RUN_MS,
  );

  test(
    "a booted machine ends with the process that holds it, even if that is killed",
    async () => {
      await using booted = new Booted(machine.root);
      await booted.isUp();
      const processes = booted.processes();
      expect(processes.length).toBeGreaterThan(3);
      signalAll(processes.slice(0, 1), "SIGKILL");
      await until(() => !processes.some(isThere));
    },
    LONG_RUN_MS,
  );
}
