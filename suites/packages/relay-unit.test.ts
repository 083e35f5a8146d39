import { expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../scripts/executable/build.ts";
import { targetsNamed } from "../../scripts/executable/targets.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { until } from "../../test/support/until.ts";
import { Machine } from "../fresh-machine/machine.ts";
import { Booted } from "./booted.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ mmdebstrap: "mmdebstrap", "systemd-nspawn": "systemd-container" });

const ROOT = join(import.meta.dir, "../..");
const PROGRAM = "opt/animal-store/bin/animal-store";
const SERVICE = "http://127.0.0.1:8080/v1";
/** Public, as the relay wants it, and only on the loopback of a machine without another network. */
const ADDRESS = "1.2.3.4";

/** The guide's steps, with the addresses of this machine, and the certificate of its receiver. */
const STEPS = stepsOfGuide()
  .replace("https://animals.example.com/v1", SERVICE)
  .replace("as_live_…'", `'"$(cat /srv/key)"'\nNODE_EXTRA_CA_CERTS=/srv/shop.pem'`);

function stepsOfGuide(): string {
  const page = readFileSync(join(ROOT, "docs/guides/webhooks.md"), "utf8");
  return /^## Run it$.*?^```sh\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
}

/** Keeps each body in a line, and responds with the status in a file. */
const RECEIVER = `
const { appendFileSync, readFileSync } = require("node:fs");
const [cert, key] = ["pem", "key"].map((end) => readFileSync("/srv/shop." + end));
require("node:https").createServer({ cert, key }, async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const status = Number(readFileSync("/srv/status", "utf8"));
  if (status < 300) appendFileSync("/srv/received", body + "\\n");
  response.writeHead(status).end();
}).listen(443, "${ADDRESS}");
`;

/** Adds an animal of a name, and prints the status. */
const ADD = `
const key = require("node:fs").readFileSync("/srv/key", "utf8").trim();
const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
const body = JSON.stringify({ name: process.argv[2], categoryId: 1 });
fetch("${SERVICE}/pets", { method: "POST", headers, body }).then(({ status }) => console.log(status));
`;

/** What the machine has once. */
const PREPARE = `set -e
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=shop.example.com \\
    -addext subjectAltName=DNS:shop.example.com -keyout /srv/shop.key -out /srv/shop.pem 2>/dev/null
  echo '${ADDRESS} shop.example.com' >> /etc/hosts
  echo 204 > /srv/status
  mkdir /srv/store`;

/** What it must be given after each boot: the receiver's address, the receiver and the service. */
const SURROUNDINGS = `set -e
  ip address add ${ADDRESS} dev lo
  systemd-run --quiet --unit=receiver node /srv/receiver.js
  systemd-run --quiet --unit=service --working-directory=/srv/store --setenv=STABILITY=experimental \\
    --setenv=FIRST_KEY=/srv/key /${PROGRAM} serve`;

if (PARTS.has("the relay's unit under systemd"))
  test(
    "the guide's steps start a relay without rights, which outlives kills and boots, and whose journal says why it ended",
    async () => {
      using machine = await Machine.make("bookworm", ["systemd", "systemd-sysv", "dbus", "iproute2"]);
      const [target] = targetsNamed(["here"]);
      if (!target) throw new Error("this suite needs Linux on x64 or arm64");
      await buildExecutable(target, join(machine.root, PROGRAM));
      cpSync(join(ROOT, "deploy"), join(machine.root, "opt/animal-store/deploy"), { recursive: true });
      writeFileSync(join(machine.root, "srv/receiver.js"), RECEIVER);
      writeFileSync(join(machine.root, "srv/add.js"), ADD);
      const received = () =>
        readFileSync(join(machine.root, "srv/received"), { encoding: "utf8", flag: "a+" })
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      const respond = (status: number) => writeFileSync(join(machine.root, "srv/status"), `${status}\n`);
      /** Adds an animal, once the service is there. */
      const add = async (booted: Booted, name: string) => {
        await until(
          async () => await booted.runs(`cd /srv/store && /${PROGRAM} ready --quiet && echo yes || true`),
        );
        expect(await booted.runs(`node /srv/add.js ${name}`)).toBe("201");
      };
      const property = async (booted: Booted, name: string) =>
        await booted.runs(`systemctl show -P ${name} animal-store-relay`);
      /** The last words of the relay, or systemd's about it. */
      const journal = async (booted: Booted) =>
        await booted.runs("journalctl --unit animal-store-relay --output cat");

      {
        await using booted = new Booted(machine.root);
        await booted.isUp();
        await booted.runs(`${PREPARE}\n${SURROUNDINGS}`);
        await until(async () => await booted.runs("test -s /srv/key && echo yes || true"));
        await booted.runs(`set -e; ${STEPS}`);
        await add(booted, "Rex");
        await until(() => received().length > 0);
        expect(received()[0]).toMatchObject({ type: "animal.created", animal: { name: "Rex" } });

        // What the unit forbids holds for the running process, and no list of processes shows the secret.
        const pid = await property(booted, "MainPID");
        const status = await booted.runs(`cat /proc/${pid}/status`);
        expect(status).toMatch(/^NoNewPrivs:\t1$/m);
        expect(status).toMatch(/^CapEff:\t0+$/m);
        expect(status).toMatch(/^CapBnd:\t0+$/m);
        expect(status).toMatch(/^Seccomp:\t2$/m);
        expect(status).not.toMatch(/^Uid:\t0\t/m);
        expect(await booted.runs(`cat /proc/${pid}/limits`)).toMatch(/^Max core file size +0 +0 /m);
        expect(
          await booted.runs(`cat /proc/${pid}/cmdline /proc/${pid}/environ | tr '\\0' ' '`),
        ).not.toContain("whsec_");

        await booted.runs("systemctl kill --kill-whom=main --signal=KILL animal-store-relay");
        await add(booted, "Luna");
        await until(() => received().some(({ animal }) => animal.name === "Luna"));
        expect(await property(booted, "NRestarts")).toBe("1");
      }

      // It starts with the machine, before what it needs is there, and continues at its position.
      const before = received().length;
      await using booted = new Booted(machine.root);
      await booted.isUp();
      await until(async () => (await journal(booted)).includes("the feed cannot be read"));
      await booted.runs(SURROUNDINGS);
      await add(booted, "Max");
      await until(() => received().length > before);
      expect(received()[before].animal.name).toBe("Max");

      respond(410);
      await add(booted, "Kiwi");
      await until(async () => (await property(booted, "ActiveState")) === "failed");
      expect(await property(booted, "ExecMainStatus")).toBe("5");
      expect(await journal(booted)).toMatch(
        /the target answered 410 to event \d+ .*: it wants no more events/,
      );
      // A person must decide that events are wanted again: systemd does not start it.
      expect(await property(booted, "NRestarts")).toBe("0");
      respond(204);
      await booted.runs(
        "echo whsec_short > /etc/animal-store-relay.secret; systemctl start animal-store-relay",
      );
      await until(async () => (await property(booted, "ActiveState")) === "failed");
      expect(await property(booted, "ExecMainStatus")).toBe("2");
      expect(await journal(booted)).toMatch(/secret holds something else than whsec_ and base64/);
    },
    LONG_RUN_MS,
  );
