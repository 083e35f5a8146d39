import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../../test/support/certificate.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { run, serve } from "../../test/support/program.ts";
import { reportOf } from "../../test/verify/verify-report.ts";

test("a service that runs, over TLS: the contract holds, and each animal added is marked and counted", async () => {
  using folder = temporaryFolder();
  const { cert, key } = makeCertificate("verify");
  const [certFile, keyFile] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  await using service = await serve({ cwd: folder.path, env: { TLS_CERT: certFile, TLS_KEY: keyFile } });
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${service.address}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      tls: { ca: cert },
    });
  // Somebody else's.
  for (const name of ["Rex", "Mia"])
    expect(
      (await call("/pets", { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) })).status,
    ).toBe(201);

  const args = ["verify", "--url", service.address, "--key", service.key, "--json"];
  const done = await run(args, { cwd: folder.path, env: { NODE_EXTRA_CA_CERTS: certFile } });
  const { passed, checks, left } = reportOf(done);
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect({ passed, exitCode: done.exitCode }).toEqual({ passed: true, exitCode: 0 });
  expect(checks.map(({ name }) => name)).toEqual([
    "create",
    "retry",
    "list",
    "get",
    "order",
    "orders",
    "key",
    "events",
    "refuse",
    "cover",
  ]);

  const names = ((await (await call("/pets?limit=100")).json()) as { name: string }[]).map(
    ({ name }) => name,
  );
  const [, count, prefix] =
    /added (\d+) animals there, whose names begin with (".+")/.exec(left.join()) ?? [];
  expect(names.filter((name) => name.startsWith(JSON.parse(prefix ?? "")))).toHaveLength(Number(count));
  expect(names.filter((name) => !name.startsWith("animal-store verify "))).toEqual(["Rex", "Mia"]);
  expect(done.stdout).not.toContain(service.key);
});

test("a key that may only read checks what it may; an invalid key proves nothing", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path });
  const made = await run(["keys", "create", "--name", "reading", "--scopes", "pets:read"], {
    cwd: folder.path,
  });
  const verify = (key: string) =>
    run(["verify", "--url", `${service.address}/v1/`, "--key", key, "--json"], { cwd: folder.path });
  const done = await verify(made.stdout.trim());
  expect(done.exitCode).toBe(0);
  const { checks, left } = reportOf(done);
  expect(Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]))).toEqual({
    create: "skipped",
    retry: "skipped",
    list: "passed",
    get: "passed",
    order: "skipped",
    orders: "skipped",
    key: "passed",
    events: "skipped",
    refuse: "passed",
    cover: "passed",
  });
  expect(checks[0]?.details).toEqual(["the key lacks the scope pets:write: use a key that has it"]);
  expect(left).toEqual(["It added no animals there."]);

  const refused = await verify("as_live_wrong");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("the service does not accept this key");
});

test("a service that offers no orders is not asked for any, and the report says why", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { STABILITY: "stable" } });
  const args = ["verify", "--url", service.address, "--key", service.key, "--json"];
  const done = await run(args, { cwd: folder.path });
  const { passed, checks } = reportOf(done);
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect({ passed, exitCode: done.exitCode }).toEqual({ passed: true, exitCode: 0 });
  const skipped = checks.filter(({ verdict }) => verdict === "skipped");
  expect(skipped.map(({ name }) => name)).toEqual(["order", "orders", "key", "events"]);
  for (const { details } of skipped)
    expect(details[0]).toMatch(
      /^the service (?:offers no operation with the scope orders:read.*|does not offer getKey), as its STABILITY says$/,
    );
});

test("the feed of a service that offers it is read as pages and as a stream", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { STABILITY: "experimental" } });
  const args = ["verify", "--url", service.address, "--key", service.key, "--json"];
  const { checks } = reportOf(await run(args, { cwd: folder.path }));
  expect(checks.map(({ failure }) => failure).filter(Boolean)).toEqual([]);
  expect(checks.map(({ verdict }) => verdict)).toEqual(checks.map(() => "passed"));
  expect(checks.at(-1)?.figures?.exercised).toContain("listEvents 410");
});

test("an address where nothing answers is reported in one line", async () => {
  using folder = temporaryFolder();
  const done = await run(["verify", "--url", "http://127.0.0.1:1", "--key", "x", "--json"], {
    cwd: folder.path,
  });
  expect(done.exitCode).toBe(1);
  expect(done.stderr).toMatch(/^animal-store: http:\/\/127\.0\.0\.1:1\/v1: no response: .*\n$/);
});

test("an address of another service fails the checks", async () => {
  using folder = temporaryFolder();
  using other = Bun.serve({ port: 0, fetch: () => new Response("{}", { headers: { "x-request-id": "1" } }) });
  const done = await run(["verify", "--url", `${other.url}`, "--key", "x", "--json"], { cwd: folder.path });
  expect(done.exitCode).toBe(1);
  expect(reportOf(done).passed).toBe(false);
});
