import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

const onLinux = process.platform === "linux";

const REQUESTS = 9000;
/** Connections that send at the same time, each one request after another. */
const CLIENTS = 10;
/** What each flood would pin without a bound is above 100 MB; what the caches may hold is some 40, and on a busy machine garbage is 20 more. */
const GROWTH_MAX_MB = 80;

/** Sends requests that differ, each several times, so that what is kept from the second time on is kept. */
async function flood(service: ServiceProcess, times: number, head: (n: number) => string): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    using conversation = await Conversation.open(service.address);
    for (let n = client; n < REQUESTS; n += CLIENTS) {
      for (let time = 0; time < times; time++) {
        conversation.send(head(n));
        expect((await conversation.next())?.status).toBe(200);
      }
    }
  });
  await Promise.all(clients);
}

const FLOODS: Record<string, { times: number; head: (n: number, key: string) => string }> = {
  "one key behind ever more spaces": {
    times: 1,
    head: (n, key) =>
      `GET /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${" ".repeat(5101 + n)}${key}\r\n\r\n`,
  },
  "other targets on hosts of 14 KB": {
    times: 2,
    head: (n, key) =>
      `GET /v1/pets?x=${n} HTTP/1.1\r\nHost: ${"h".repeat(14_000)}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  },
  "targets with thousands of parameters": {
    times: 2,
    head: (n, key) =>
      // Without the first letter, one of them would be `sort`.
      `GET /v1/pets?${Array.from({ length: 1500 }, (_, at) => `x${(n * 1500 + at).toString(36)}&`).join("")} HTTP/1.1\r\n` +
      `Host: shop\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  },
};

for (const [what, { times, head }] of Object.entries(FLOODS)) {
  test.if(onLinux)(`a flood of ${what} leaves no memory behind`, async () => {
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { WORKERS: "1" } });
    const { key } = service;
    expect((await new Caller(service).create("Rex")).status).toBe(201);
    await flood(
      service,
      2,
      (n) =>
        `GET /v1/pets?limit=${1 + (n % 9)} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    const before = residentMb(service.pid);
    await flood(service, times, (n) => head(n, key));
    const grownMb = residentMb(service.pid) - before;
    expect(grownMb < GROWTH_MAX_MB || grownMb).toBe(true);
  });
}
