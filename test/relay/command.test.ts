import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRelayOptions } from "../../src/commands/relay/options.ts";
import { takePosition } from "../../src/commands/relay/take-position.ts";
import type { ClientEnvironment } from "../../src/config/client-environment.ts";
import { CommandFailure } from "../../src/process/errors.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { SECRET, startReceiver } from "./receiver.ts";
import { startRelayProcess } from "./relay-process.ts";

const JSON_TYPE = { "content-type": "application/json" };

async function create(sandbox: TestSandbox, animals: number): Promise<void> {
  for (let at = 0; at < animals; at++) {
    await sandbox.call("/v1/pets", {
      method: "POST",
      headers: JSON_TYPE,
      body: '{"name":"Rex","categoryId":1}',
    });
  }
}

const inOrder = (ids: readonly number[]) => ids.every((id, at) => at === 0 || id > (ids[at - 1] as number));

test("a relay says when it is ready, shows its metrics, stops at a signal and continues where it was", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using sandbox = await startSandbox();
  using receiver = startReceiver();
  const start = { cwd, address: sandbox.address, key: sandbox.key, to: `${receiver.url}?token=hunter2` };
  const args = ["--ready-file", "ready.json", "--from-now", "--metrics-port", "0", "--log-level", "debug"];
  {
    await using relay = startRelayProcess({ ...start, args });
    await until(() => existsSync(join(cwd, "ready.json")));
    expect(JSON.parse(readFileSync(join(cwd, "ready.json"), "utf8"))).toMatchObject({
      kind: "animal-store relay",
      from: `${sandbox.address}/v1`,
      pid: relay.pid,
    });
    await create(sandbox, 3);
    await until(() => receiver.received.length === 3);
    const [, metrics = ""] = await relay.says(/"metrics":"([^"]+)"/);
    await until(async () =>
      (await (await fetch(metrics)).text()).includes('attempts_total{outcome="delivered"} 3'),
    );
    process.kill(relay.pid, "SIGTERM");
    expect(await relay.exited).toBe(0);
    expect(relay.output).toContain('"msg":"stopped"');
    // Neither a secret nor a query, which may be one, is shown.
    expect(relay.output + relay.errors).not.toMatch(/hunter2|whsec_|as_test_|as_live_/);
  }
  expect(existsSync(join(cwd, "ready.json"))).toBe(false);
  await create(sandbox, 2);
  await using relay = startRelayProcess({ ...start, args });
  await until(() => receiver.received.length === 5);
  expect(inOrder(receiver.ids())).toBe(true);
  expect(receiver.isSound).toBe(true);
  expect(relay.errors).toBe("");
});

test("a relay that is killed between deliveries skips nothing, and repeats with the same webhook-id", async () => {
  using folder = temporaryFolder();
  await using sandbox = await startSandbox();
  await create(sandbox, 30);
  using receiver = startReceiver();
  const start = { cwd: folder.path, address: sandbox.address, key: sandbox.key, to: receiver.url };
  for (let wanted = 3; wanted <= 24; wanted += 7) {
    await using relay = startRelayProcess(start);
    await until(() => receiver.received.length >= wanted);
    process.kill(relay.pid, "SIGKILL");
    await relay.exited;
  }
  const feed = (await (await sandbox.call("/v1/events?limit=100")).json()) as { id: number }[];
  await using _ = startRelayProcess(start);
  await until(() => receiver.ids().at(-1) === feed.at(-1)?.id);
  expect([...new Set(receiver.ids())]).toEqual(feed.map(({ id }) => id));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(feed.length);
});

test("a second relay on one position is refused, and the position file is whole at all times", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using sandbox = await startSandbox();
  using receiver = startReceiver();
  const start = { cwd, address: sandbox.address, key: sandbox.key, to: receiver.url };
  await using relay = startRelayProcess(start);
  await relay.says("relaying events");
  await using second = startRelayProcess(start);
  expect(await second.ended()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("another relay uses"),
  });
  await create(sandbox, 20);
  const seen = receiver.received.length;
  await until(() => {
    if (existsSync(join(cwd, "position.json"))) JSON.parse(readFileSync(join(cwd, "position.json"), "utf8"));
    return receiver.received.length >= Math.max(seen, 20);
  });
  process.kill(relay.pid, "SIGTERM");
  expect(await relay.exited).toBe(0);
  expect(readdirSync(cwd).toSorted()).toEqual(["position.json", "position.json.lock", "secret"]);
});

test("a target that answers 410 ends the relay with a status of its own, and the event is delivered next time", async () => {
  using folder = temporaryFolder();
  await using sandbox = await startSandbox();
  await create(sandbox, 2);
  let wanted = true;
  using receiver = startReceiver(() => new Response(null, { status: wanted ? 204 : 410 }));
  const start = { cwd: folder.path, address: sandbox.address, key: sandbox.key, to: receiver.url };
  wanted = false;
  await using relay = startRelayProcess(start);
  expect(await relay.ended()).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("410") });
  wanted = true;
  const refused = receiver.ids().at(-1);
  await using again = startRelayProcess(start);
  await until(() => receiver.received.length > 2);
  expect(receiver.ids()[1]).toBe(refused as number);
  expect(again.errors).toBe("");
});

test("a key that is refused, and a position of another store, end the relay with one line", async () => {
  using folder = temporaryFolder();
  await using sandbox = await startSandbox();
  using receiver = startReceiver();
  const start = { cwd: folder.path, address: sandbox.address, key: sandbox.key, to: receiver.url };
  await using refused = startRelayProcess({ ...start, key: "as_test_wrong" });
  expect(await refused.ended()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^animal-store: the service refuses.*\n$/),
  });
  await create(sandbox, 1);
  {
    await using relay = startRelayProcess(start);
    await until(() => existsSync(join(folder.path, "position.json")));
    process.kill(relay.pid, "SIGTERM");
    await relay.exited;
  }
  await using other = await startSandbox();
  await create(other, 1);
  await using foreign = startRelayProcess({ ...start, address: other.address, key: other.key });
  expect(await foreign.ended()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^animal-store: position\.json is the position in another store's feed.*\n$/,
    ),
  });
});

describe("wrong use is refused with what would be right:", () => {
  const GOOD = { from: "http://127.0.0.1:1/v1", to: "https://1.1.1.1/hooks", position: "position.json" };
  const short = `whsec_${Buffer.alloc(8, 3).toString("base64")}`;
  const cases: readonly (readonly [
    name: string,
    flags: Readonly<Record<string, string>>,
    environment: Partial<ClientEnvironment>,
    says: RegExp,
  ])[] = [
    ["no key", {}, { API_KEY: undefined }, /API_KEY is not set/],
    ["a service without version", { from: "http://127.0.0.1:1/" }, {}, /--from is .*ends in \/v1/],
    [
      "an http target",
      { to: "http://1.1.1.1/" },
      {},
      /must be an https address \(http needs --allow-private\)/,
    ],
    [
      "a target with a password",
      { to: "https://user:hunter2@1.1.1.1/" },
      {},
      /--to must be .* without user, password/,
    ],
    [
      "a private target",
      { to: "https://192.168.1.1/" },
      {},
      /cannot be used: 192\.168\.1\.1 is not public; --allow-private/,
    ],
    ["a loopback name", { to: "https://localhost/" }, {}, /not public/],
    ["no secret", {}, { RELAY_SECRET: undefined }, /name its file with --secret-file, or set RELAY_SECRET/],
    ["two sources of the secret", { secretFile: "secret" }, {}, /both set/],
    ["a short secret", {}, { RELAY_SECRET: short }, /RELAY_SECRET holds a secret of 8 bytes/],
    [
      "a missing secret file",
      { secretFile: "/nothing" },
      { RELAY_SECRET: undefined },
      /cannot read \/nothing/,
    ],
    [
      "a secret in the arguments",
      { secretFile: SECRET },
      { RELAY_SECRET: undefined },
      /^a secret stands in the arguments/,
    ],
    ["an unknown type", { only: "animal.sold" }, {}, /--only is .*animal\.status_changed/],
    ["none at once", { atOnce: "0" }, {}, /--at-once is .*whole number from 1 to 100/],
    ["more at once than a page has", { atOnce: "101" }, {}, /--at-once is .*whole number from 1 to 100/],
    ["an event that is no id", { replayFrom: "0" }, {}, /--replay-from is .*id of an event/],
  ];
  for (const [name, flags, environment, says] of cases) {
    test(name, async () => {
      const all = { API_KEY: "as_test_1", RELAY_SECRET: SECRET, ...environment };
      const refusal = await readRelayOptions({ ...GOOD, ...flags }, all as ClientEnvironment).catch(
        (error) => error,
      );
      expect(refusal).toBeInstanceOf(CommandFailure);
      expect([refusal.exitCode, refusal.message]).toEqual([2, expect.stringMatching(says)]);
      expect(refusal.message).not.toMatch(/\n|hunter2|whsec_[A-Za-z0-9]/);
    });
  }

  test("a symbolic link in the place of the unfinished position overwrites nothing", async () => {
    using folder = temporaryFolder();
    const [path, other] = ["position.json", "other"].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    writeFileSync(other, "of somebody else");
    symlinkSync(other, `${path}.tmp`);
    await using position = takePosition(path, () => {});
    position.keep({ cursor: "c", event: 7n });
    await position.settled();
    expect(await position.position()).toEqual({ cursor: "c", event: 7n });
    expect(readFileSync(other, "utf8")).toBe("of somebody else");
  });

  test("a file of something else is no position, and stays as it is", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "secret");
    writeFileSync(file, SECRET);
    await using position = takePosition(file, () => {});
    await expect(position.position()).rejects.toThrow(/secret exists, and no relay has written it/);
    expect(() => takePosition(join(folder.path, "no/position"), () => {})).toThrow(/there is no folder/);
    expect(readFileSync(file, "utf8")).toBe(SECRET);
  });
});
