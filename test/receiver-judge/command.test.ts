import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";
import { startSandbox } from "../support/sandbox.ts";
import { type Habit, OTHER, OWN, RETIRED, startHabitualReceiver, type Work } from "./habitual-receiver.ts";

// Each rule is tested in rules.test.ts; suites/relay has receivers in other languages.

interface Judged {
  readonly receiver: string;
  readonly seed: number;
  readonly deliveries: number;
  readonly score: number;
  readonly rules: readonly { readonly id: string; readonly verdict: string; readonly evidence: string[] }[];
}

async function judge(url: string, options: readonly string[] = [], env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "secret"), `${OWN}\n${OTHER}\n`);
  writeFileSync(join(folder.path, "retired"), RETIRED);
  writeFileSync(join(folder.path, "own"), OWN);
  const secret = "RELAY_SECRET" in env ? [] : ["--secret-file", "secret"];
  const args = ["sandbox", "judge-receiver", url, ...secret, ...options];
  const ended = await run(args, { cwd: folder.path, env });
  return {
    ...ended,
    read: (file: string) => readFileSync(join(folder.path, file), "utf8"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** A server that is not told what it gets; gone with `await using`. */
function startServer(fetch: () => Response | Promise<Response>, tls?: { cert: string; key: string }) {
  return Bun.serve({ hostname: "127.0.0.1", port: 0, fetch, ...(tls && { tls }) });
}

test("a good receiver gets full marks, in every form of the report, and no report has its secrets", async () => {
  using receiver = startHabitualReceiver();
  const files = ["--junit", "judged.xml", "--badge", "judged.svg"];
  const witness = ["--probe", receiver.probe, "--retired-secret-file", "retired"];
  using result = await judge(`${receiver.url}?token=hidden`, ["--json", "--seed", "7", ...witness, ...files]);
  expect([result.exitCode, result.stderr]).toEqual([
    0,
    `${receiver.url}: deliveries in the order of --seed 7\n`,
  ]);
  const judged = JSON.parse(result.stdout) as Judged;
  expect(judged).toMatchObject({ receiver: receiver.url, seed: 7, score: 100, threshold: 100 });
  expect(judged.rules.every(({ verdict }) => verdict === "passed")).toBe(true);
  expect(result.read("judged.xml")).toContain(`tests="${judged.rules.length}" failures="0" skipped="0"`);
  expect(result.read("judged.svg")).toContain("receiver judged: 100 of 100");
  const written = result.stdout + result.stderr + result.read("judged.xml") + result.read("judged.svg");
  for (const secret of [OWN, OTHER, RETIRED, "hidden"])
    expect(written).not.toContain(secret.replace("whsec_", ""));
});

test("a receiver that checks nothing fails with evidence, and the exit code says so", async () => {
  await using server = startServer(() => new Response("thanks"));
  using result = await judge(`${server.url}hooks`);
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toMatch(/^ {2}failed {4}refuses-old /m);
  expect(result.stdout).toMatch(/^ {12}#\d+, a delivery of yesterday, got 200, and 4xx would be right$/m);
  expect(result.stdout).toContain("What to do: docs/guides/judge-receiver.md#age");
  expect(result.stdout).toContain(
    "To test it, let the receiver show what it has done, with --probe or --sandbox.",
  );
  expect(result.stdout).not.toMatch(/^ {2}passed /m);
  expect(result.stderr).toContain("the score is 0, and --threshold is 100.\n");
});

test("a sandbox that the receiver calls shows how often it acts", async () => {
  await using sandbox = await startSandbox();
  const control = `${sandbox.address}/_sandbox`;
  // Two calls are one act.
  const call = (id: string) => {
    void sandbox.call(`/v1/pets/${id}`);
    void sandbox.call(`/v1/orders?petId=${id}`);
  };
  const verdicts = async (...habits: readonly (Habit | Work)[]) => {
    using receiver = startHabitualReceiver(...habits);
    // A receiver that rounds is waited for as long as it may take.
    const options = ["--json", "--seed", "7", "--timeout", "5", "--sandbox", control];
    using result = await judge(receiver.url, options);
    const { rules } = JSON.parse(result.stdout) as Judged;
    return Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
  };
  expect(await verdicts({ onAct: call }, "acts twice", "rounds")).toMatchObject({
    "acts-once": "failed",
    "exact-integers": "failed",
  });
  // The seed gives the same animals again: what an earlier run asked does not count.
  expect(await verdicts({ onAct: call })).toMatchObject({
    "acts-once": "passed",
    "acts-on-accepted": "passed",
    "acts-on-nothing-refused": "passed",
    "forgeries-block-nothing": "passed",
    "exact-integers": "passed",
    "keeps-order": "untested",
  });
});

test("a sandbox shows the space whose key API_KEY is", async () => {
  await using sandbox = await startSandbox();
  const space = (await (await sandbox.control("POST", "/spaces")).json()) as { keys: [{ key: string }] };
  const [{ key }] = space.keys;
  const call = (id: string) =>
    void fetch(`${sandbox.address}/v1/pets/${id}`, { headers: { authorization: `Bearer ${key}` } });
  using receiver = startHabitualReceiver({ onAct: call });
  const options = ["--json", "--timeout", "2", "--sandbox", `${sandbox.address}/_sandbox`];
  using right = await judge(receiver.url, options, { API_KEY: key });
  const { rules } = JSON.parse(right.stdout) as Judged;
  expect(rules.find(({ id }) => id === "acts-on-accepted")).toMatchObject({ verdict: "passed" });
  using first = await judge(receiver.url, options);
  expect([first.exitCode, first.stderr]).toEqual([
    3,
    expect.stringContaining("no request to the space of --sandbox; have it call that sandbox"),
  ]);
  using unknown = await judge(receiver.url, options, { API_KEY: "as_test_unknown" });
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    3,
    expect.stringContaining("the key in API_KEY (401)"),
  ]);
});

test("a probe is asked directly, whatever proxy the environment names", async () => {
  using receiver = startHabitualReceiver();
  using result = await judge(receiver.url, ["--json", "--probe", receiver.probe], { HTTP_PROXY: LOCAL });
  expect((JSON.parse(result.stdout) as Judged).rules.length).toBeGreaterThan(0);
});

/** Where nobody listens. */
const LOCAL = "http://127.0.0.1:1/";

describe("a receiver that cannot be judged ends the command with 3 and a reason:", () => {
  test("nobody listens", async () => {
    using result = await judge("http://127.0.0.1:1/");
    expect([result.exitCode, result.stdout]).toEqual([3, ""]);
    expect(result.stderr).toMatch(
      /the receiver cannot be judged: 3 deliveries got no response: .*ECONNREFUSED/,
    );
  });

  test("it never answers", async () => {
    await using server = startServer(() => new Promise<Response>(() => {}));
    using result = await judge(`${server.url}`, ["--timeout", "1"]);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("got no response in time.");
  });

  test("it closes every connection", async () => {
    using listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end("H"), error: () => {} },
    });
    using result = await judge(`http://127.0.0.1:${listener.port}/`);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("got no response (");
    listener.stop(true);
  });

  test("its certificate is its own", async () => {
    await using server = startServer(() => new Response(), makeCertificate("receiver"));
    using result = await judge(`${server.url}`);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("got no response (DEPTH_ZERO_SELF_SIGNED_CERT)");
  });

  test("its probe shows something else", async () => {
    await using server = startServer(() => Response.json({ acted: [7] }));
    using result = await judge(`${server.url}`, ["--probe", `${server.url}`]);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain(
      'what the receiver has done cannot be read: it must show an object such as {"acted":[',
    );
  });

  test("nobody listens at its probe", async () => {
    using result = await judge(LOCAL, ["--probe", LOCAL]);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("what the receiver has done cannot be read: it does not respond (");
  });

  test("its name has no address", async () => {
    using result = await judge("https://receiver.invalid/");
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("the receiver cannot be judged: ");
  });

  test("its sandbox is none", async () => {
    await using server = startServer(() => Response.json({}));
    using result = await judge(`${server.url}`, ["--sandbox", `${server.url}_sandbox`]);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain("cannot be read: it shows no journal, so it is no sandbox.");
  });
});

test("a receiver whose responses have no end is judged, and a redirect is not followed", async () => {
  const chunk = new Uint8Array(64 * 1024);
  let elsewhere = 0;
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: { "/elsewhere": () => new Response(`${elsewhere++}`) },
    fetch: () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }), {
        status: 307,
        headers: { location: "/elsewhere" },
      }),
  });
  using result = await judge(`${server.url}`);
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toMatch(/^ {2}failed {4}no-redirects /m);
  expect(elsewhere).toBe(0);
});

describe("wrong use ends with 2, before anything is posted:", () => {
  test.each<[string, string, readonly string[], string]>([
    ["another scheme", "ftp://127.0.0.1/", [], "the receiver's address must be an http or https address"],
    ["a password", "http://me:hidden@127.0.0.1/", [], "without user, password and fragment"],
    ["http to another machine", "http://192.0.2.1/", [], "must begin with https, except on this machine"],
    ["a private address", "https://10.0.0.1/", [], "10.0.0.1 is not public; --allow-private"],
    ["two witnesses", LOCAL, ["--probe", LOCAL, "--sandbox", `${LOCAL}_sandbox`], "are both set"],
    ["a probe that is no address", LOCAL, ["--probe", "acted"], "--probe must be an http or https address"],
    [
      "a sandbox without its control",
      LOCAL,
      ["--sandbox", `${LOCAL}?token=hidden`],
      "be the control address that a sandbox prints",
    ],
    ["an unknown rule", LOCAL, ["--skip", "etag"], '--skip is "etag"; it must name some of accepts-genuine,'],
    ["a seed in words", LOCAL, ["--seed", "one"], '--seed is "one"; it must be a whole number'],
    ["two retired secrets", LOCAL, ["--retired-secret-file", "secret"], "secret holds several secrets"],
    [
      "a retired secret that is current",
      LOCAL,
      ["--retired-secret-file", "own"],
      "own holds a secret that the receiver still has; it must hold the secret that was replaced.",
    ],
    ["a missing file of secrets", LOCAL, ["--retired-secret-file", "nothing"], "cannot read nothing: ENOENT"],
  ])("%s", async (_, url, options, message) => {
    using result = await judge(url, options);
    expect([result.exitCode, result.stdout]).toEqual([2, ""]);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain("hidden");
  });

  test("a secret that is too short, which is not shown", async () => {
    using result = await judge(LOCAL, [], { RELAY_SECRET: "whsec_c2hvcnQ=" });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("RELAY_SECRET holds a secret of 5 bytes");
    expect(result.stderr).not.toContain("c2hvcnQ");
  });

  test("a secret in both places of a rotation", async () => {
    using result = await judge(LOCAL, [], { RELAY_SECRET: `${OWN} ${OWN}` });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("RELAY_SECRET holds the same secret twice; leave one out");
  });

  test("no secret", async () => {
    using folder = temporaryFolder();
    const { exitCode, stderr } = await run(["sandbox", "judge-receiver", LOCAL], { cwd: folder.path });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("the secret is missing; name its file")]);
  });
});
