import { expect, test } from "bun:test";
import type { RequestObserver } from "../../src/observations/request-observer.ts";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";
import { startService } from "../support/service.ts";

/** The address that telemetry is told of a client, by the headers that came. */
async function told(trustProxy: boolean, headers: Record<string, string>): Promise<string | undefined> {
  let client: string | undefined;
  const observer: RequestObserver = { answered: (request) => ({ client } = request) };
  await using service = await startService({ trustProxy, observer });
  await fetch(`${service.address}/livez`, { headers });
  return client;
}

test("what a client says of its own address is not believed", async () => {
  expect(await told(false, { "x-forwarded-for": "203.0.113.7" })).toBe("127.0.0.1");
});

test("behind a proxy it is the address that the proxy added last", async () => {
  const cases: [string, string][] = [
    ["203.0.113.7", "203.0.113.7"],
    ["10.0.0.1, 203.0.113.7", "203.0.113.7"],
    ["made up,203.0.113.7 ", "203.0.113.7"],
    ["2001:db8::7", "2001:db8::7"],
    // A proxy that adds nothing: whose connection it was is known still.
    ["", "127.0.0.1"],
    ["203.0.113.7,", "127.0.0.1"],
    // Some proxies add the port, and brackets where it needs them.
    ["10.0.0.1, 203.0.113.7:4711", "203.0.113.7"],
    ["[2001:db8::7]:4711", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    // What a client writes where a proxy passes it on is no address.
    ["203.0.113.7, unknown", "127.0.0.1"],
    ["203.0.113.777", "127.0.0.1"],
    ["203.0.113.7:", "127.0.0.1"],
    ["x".repeat(9000), "127.0.0.1"],
  ];
  for (const [forwarded, address] of cases) {
    expect([forwarded, await told(true, { "x-forwarded-for": forwarded })]).toEqual([forwarded, address]);
  }
  expect(await told(true, {})).toBe("127.0.0.1");
});

test("TRUST_PROXY says whether there is one", async () => {
  for (const [trust, address] of [
    ["true", "203.0.113.7"],
    ["false", "127.0.0.1"],
  ] as const) {
    using folder = temporaryFolder();
    const env = { TRUST_PROXY: trust, LOG_LEVEL: "debug" };
    await using service = await serve({ cwd: folder.path, env });
    await fetch(`${service.address}/livez`, { headers: { "x-forwarded-for": "203.0.113.7" } });
    await service.says('"path":"/livez"');
    await service.says(`"client":"${address}"`);
  }
});
