import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { Caller, expectUnavailable } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { SilentClient } from "./silent-client.ts";

const onLinux = process.platform === "linux";

const CLIENTS = 700;
/** What 700 connections take by themselves is some 10 MB; what they do not read would be 60 MB to 1.2 GB. */
const GROWTH_MAX_MB = 45;

/** A page of 100 of these has 100 KB or more, in each content coding: names of 255 characters of four bytes. */
function hugeName(seed: number): string {
  const random = (n: number) => Bun.hash.xxHash32(`${seed} ${n}`) % 50_000;
  return Array.from({ length: 255 }, (_, n) => String.fromCodePoint(0x20_000 + random(n))).join("");
}

async function startWithHugeAnimals(env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const service = stack.use(await serve({ cwd: folder.path, env: { WORKERS: "1", ...env } }));
  const caller = new Caller(service);
  for (let n = 0; n < 120; n++) expect((await caller.create(hugeName(n), null)).status).toBe(201);
  return { service, caller, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function get(path: string, { key }: ServiceProcess, coding = "identity"): string {
  const fields = [`Host: shop`, `Authorization: Bearer ${key}`, `Accept-Encoding: ${coding}`];
  return `GET ${path} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`;
}

/** Sends a request from each client and waits until each has the head of its response; returns their status lines. */
async function ask(clients: readonly SilentClient[], request: (n: number) => string): Promise<string[]> {
  for (const [n, client] of clients.entries()) client.send(request(n));
  const statuses: string[] = [];
  for (const client of clients) {
    await until(() => client.peek().length > 12);
    statuses.push(client.peek().slice(9, 12));
  }
  return statuses;
}

/** The memory that clients cost which send requests and do not read, in megabytes. */
async function costOf(service: ServiceProcess, request: (n: number) => string, count = CLIENTS) {
  using stack = new DisposableStack();
  const before = residentMb(service.pid);
  const clients = Array.from({ length: count }, () => stack.use(new SilentClient(service.address)));
  const statuses = await ask(clients, request);
  return { statuses: new Set(statuses), grownMb: residentMb(service.pid) - before };
}

/** The peak of a process's resident memory on Linux since `resetPeak`, in megabytes. */
function peakMb(pid: number): number {
  return Number(/VmHWM:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

describe.if(onLinux)("clients that do not read take no memory,", () => {
  const paths = ["/docs", "/docs/guides/operations", "/openapi.json", "/v1/pets?limit=100"];
  test(`whatever they ask for: ${paths.join(", ")}, in each coding`, async () => {
    await using place = await startWithHugeAnimals();
    for (const path of paths) {
      for (const coding of ["identity", "zstd", "br", "gzip"]) {
        // What is made once, and kept, is no cost of a client's.
        const request = get(path, place.service, coding);
        for (let time = 0; time < 3; time++) await costOf(place.service, () => request, 20);
        const { statuses, grownMb } = await costOf(place.service, () => request);
        expect({ path, coding, statuses }).toEqual({ path, coding, statuses: new Set(["200"]) });
        expect([path, coding, grownMb < GROWTH_MAX_MB || grownMb]).toEqual([path, coding, true]);
      }
    }
  });

  test("even if all of them send the first request", async () => {
    await using place = await startWithHugeAnimals();
    for (const path of ["/docs", "/openapi.yaml"]) {
      const { statuses, grownMb } = await costOf(place.service, () => get(path, place.service), 200);
      expect({ path, statuses }).toEqual({ path, statuses: new Set(["200"]) });
      expect([path, grownMb < GROWTH_MAX_MB || grownMb]).toEqual([path, true]);
    }
  });

  test("even if no two request the same: unread responses have one bound, beyond which requests are refused", async () => {
    await using place = await startWithHugeAnimals();
    const { service, caller } = place;
    await costOf(service, (n) => get(`/v1/pets?limit=100&warm=${n}`, service), 60);
    for (const coding of ["identity", "gzip"]) {
      const request = (n: number) => get(`/v1/pets?limit=100&${coding}=${n}`, service, coding);
      using stack = new DisposableStack();
      const before = residentMb(service.pid);
      const clients = Array.from({ length: 1000 }, () => stack.use(new SilentClient(service.address)));
      expect(new Set(await ask(clients, request))).toEqual(new Set(["200", "503"]));
      // Pages that were made and then refused are garbage until the runtime collects it.
      await until(() => residentMb(service.pid) - before < 80);
    }
    // With them gone there is room again.
    await until(async () => (await caller.list("limit=100&again=1")).status === 200);
  });

  test("nor do refused pages, while other clients keep the service busy", async () => {
    await using place = await startWithHugeAnimals();
    const { service, caller } = place;
    await costOf(service, (n) => get(`/v1/pets?limit=100&warm=${n}`, service), 60);
    using stack = new DisposableStack();
    const clients = Array.from({ length: 4000 }, () => stack.use(new SilentClient(service.address)));
    const before = residentMb(service.pid);
    resetPeak(service.pid);
    let sent = 0;
    const others = Array.from({ length: 32 }, async (_, other) => {
      for (let n = 0; sent < clients.length; n++) {
        expect((await caller.list(`limit=1&other=${other}-${n}`)).status).toBe(200);
      }
    });
    for (const client of clients) {
      client.send(get(`/v1/pets?limit=100&flood=${sent++}`, service));
      if (sent % 100 === 0) await Bun.sleep(1);
    }
    await Promise.all(others);
    for (const client of clients) await until(() => client.peek().length > 12);
    const grownMb = peakMb(service.pid) - before;
    // Left to the runtime it is 250 MB or more.
    expect(grownMb < 170 || grownMb).toBe(true);
  });

  test("however many requests they pipeline", async () => {
    await using place = await startWithHugeAnimals();
    const { service } = place;
    /** Resident memory with many silent clients, each of which has sent as many requests as it can. */
    const residentWith = async (path: string) => {
      using stack = new DisposableStack();
      const clients = Array.from({ length: 100 }, () => stack.use(new SilentClient(service.address)));
      for (let round = 0; round < 15; round++) {
        for (const client of clients) client.send(get(path, service).repeat(10));
        // Each round is answered, or its connections cut off, before the next.
        expect((await fetch(`${service.address}/livez`)).status).toBe(200);
      }
      return residentMb(service.pid);
    };
    for (const path of ["/docs", "/v1/pets?limit=100", "/v1/pets?limit=1", "/v1/nothing"]) {
      // The first time fills caches and leaves garbage behind, for any client.
      const before = await residentWith(path);
      const grownMb = (await residentWith(path)) - before;
      expect([path, grownMb < GROWTH_MAX_MB || grownMb]).toEqual([path, true]);
    }
  });

  test("on the port of the metrics", async () => {
    await using place = await startWithHugeAnimals({ METRICS_PORT: "0" });
    const { service } = place;
    const address = /"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "";
    const before = residentMb(service.pid);
    using stack = new DisposableStack();
    const clients = Array.from({ length: 500 }, () => stack.use(new SilentClient(address)));
    for (const client of clients) client.send("GET /metrics HTTP/1.1\r\nHost: shop\r\n\r\n".repeat(5));
    for (const client of clients) await until(() => client.peek().length > 12);
    // What is left of texts that the kernel has taken goes within seconds.
    await until(() => residentMb(service.pid) - before < GROWTH_MAX_MB);
  });
});

test.if(onLinux)(
  "requests over MAX_REQUESTS get 503 at once, and their connection is closed; /livez is served",
  async () => {
    await using place = await startWithHugeAnimals({ MAX_REQUESTS: "20", RATE_LIMIT: "100000/h" });
    const { service, caller } = place;
    {
      using stack = new DisposableStack();
      const clients = Array.from({ length: 20 }, () => stack.use(new SilentClient(service.address)));
      // Each begins a body and does not finish it: the largest response of the service fits into the kernel's buffers.
      const half = `Host: shop\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n`;
      for (const client of clients)
        client.send(`POST /v1/pets HTTP/1.1\r\n${half}Content-Length: 99\r\n\r\n{`);
      await until(async () => (await fetch(`${service.address}/readyz`)).status === 503);

      for (const path of ["/v1/pets", "/v1/pets/1", "/openapi.json", "/readyz", "/v1/nowhere"]) {
        const answer = await fetch(service.address + path, { headers: { origin: "https://shop.example" } });
        const { headers } = answer;
        await expectUnavailable(answer, "overloaded");
        expect(Object.fromEntries(headers)).toMatchObject({
          connection: "close",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "x-request-id": expect.any(String),
          "ratelimit-policy": '"default";q=100000;w=3600',
          "access-control-allow-origin": "*",
        });
        expect(headers.has("deprecation")).toBe(path === "/v1/pets/1");
      }
      await expectUnavailable(await caller.create("Rex"), "overloaded");
      expect((await fetch(`${service.address}/livez`)).status).toBe(200);
    }
    await until(async () => (await caller.list()).status === 200);
    expect(await caller.names()).not.toContain("Rex");
  },
);
