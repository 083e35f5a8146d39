import { expect, test } from "bun:test";
import { brotliDecompressSync } from "node:zlib";
import { Conversation } from "../../verify/wire/conversation.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";

/** Pages above and below the size from which it is worth it. */
const LARGE = "/v1/pets?limit=100";
const SMALL = "/v1/pets?limit=2";

interface Answer {
  readonly status: number;
  readonly coding: string | null;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Asks for a page, and takes its bytes as they come. */
async function ask(service: Service, path: string, accepted: string, method = "GET"): Promise<Answer> {
  const answer = await fetch(service.address + path, {
    method,
    headers: { authorization: `Bearer ${service.key}`, "accept-encoding": accepted },
    decompress: false,
  });
  const { status, headers } = answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status, headers, coding: headers.get("content-encoding"), bytes };
}

const DECODERS = { zstd: Bun.zstdDecompressSync, br: brotliDecompressSync, gzip: Bun.gunzipSync };

onEveryEngine(({ startService }) => {
  async function startWithMany(): Promise<Service> {
    const service = await startService();
    const body = '{"name":"Zoë 🐕","categoryId":-9223372036854775808,"status":"pending"}';
    await Promise.all(Array.from({ length: 40 }, () => service.create(body)));
    return service;
  }

  test("the response has the coding that Accept-Encoding prefers", async () => {
    await using service = await startWithMany();
    const cases: [string, string | null][] = [
      ["gzip", "gzip"],
      ["br", "br"],
      ["zstd", "zstd"],
      ["GZip", "gzip"],
      ["gzip, deflate, br, zstd", "zstd"],
      ["gzip, deflate, br", "br"],
      ["gzip;q=1.0, br;q=0.5", "gzip"],
      ["gzip ; Q=0.8 , zstd\t;q=0.801", "zstd"],
      ["*", "zstd"],
      ["zstd;q=0, *", "br"],
      ["gzip;q=0.001", "gzip"],
      ["gzip, identity;q=0", "gzip"],
      ["identity;q=0.5, gzip;q=0.5", "gzip"],
      // Nothing that we write, or what is plain is preferred.
      ["", null],
      ["identity", null],
      ["deflate, compress", null],
      ["x-unknown", null],
      ["gzip;q=0", null],
      ["*;q=0", null],
      ["gzip;q=0, br;q=0.000, zstd;q=0.", null],
      ["identity, gzip;q=0.9", null],
      ["identity;q=0", null],
      // What is malformed says nothing, and what stands beside it still counts.
      ["gzip;q=2", null],
      ["gzip;q=-1", null],
      ["gzip;quality=1", null],
      ["gzip br", null],
      [";q=1", null],
      [",,gzip,,", "gzip"],
      ["gzip;q=nonsense, br;q=0.1", "br"],
    ];
    for (const [accepted, coding] of cases) {
      const answer = await ask(service, LARGE, accepted);
      expect([accepted, answer.status, answer.coding]).toEqual([accepted, 200, coding]);
    }
  });

  test("a client without Accept-Encoding gets an uncompressed response", async () => {
    await using service = await startWithMany();
    using conversation = await Conversation.open(service.address);
    conversation.send(`GET ${LARGE} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`);
    const answer = await conversation.next();
    expect([answer?.status, answer?.headers.get("content-encoding")]).toEqual([200, null]);
    expect(JSON.parse(answer?.body ?? "")).toHaveLength(40);
  });

  test("every coding decodes to the uncompressed bytes, and is shorter", async () => {
    await using service = await startWithMany();
    for (const path of [LARGE, "/openapi.json", "/docs"]) {
      const plain = await ask(service, path, "identity");
      for (const [coding, decode] of Object.entries(DECODERS)) {
        // Twice: what was compressed is kept, and must not be compressed again.
        for (const time of [1, 2]) {
          const { headers, bytes, ...answer } = await ask(service, path, coding);
          expect({ path, time, coding: answer.coding }).toEqual({ path, time, coding });
          expect(Buffer.from(decode(bytes)).equals(plain.bytes)).toBe(true);
          expect(headers.get("content-length")).toBe(String(bytes.length));
          expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
        }
      }
    }
  });

  test("what stays the same as long as the process runs is compressed more thoroughly", async () => {
    await using service = await startWithMany();
    const plain = await ask(service, "/docs", "identity");
    const quick = { zstd: Bun.zstdCompressSync(plain.bytes, { level: 3 }), gzip: Bun.gzipSync(plain.bytes) };
    for (const [coding, { length }] of Object.entries(quick)) {
      expect((await ask(service, "/docs", coding)).bytes.length).toBeLessThan(length);
    }
  });

  test("a compressed response changes with the store like any other", async () => {
    await using service = await startService();
    const bodies = Array.from(
      { length: 30 },
      (_, n) => `{"name":"${"Rex ".repeat(20)}${n}","categoryId":12}`,
    );
    for (const body of bodies) {
      await service.create(body);
      const plain = await ask(service, LARGE, "identity");
      const { coding, bytes } = await ask(service, LARGE, "gzip");
      expect(Buffer.from(coding ? Bun.gunzipSync(bytes) : bytes).equals(plain.bytes)).toBe(true);
    }
  });

  test("a small response is not compressed, unless the client forbids that", async () => {
    await using service = await startWithMany();
    for (const path of [SMALL, "/v1/pets/1", "/livez"]) {
      for (const accepted of ["gzip, br, zstd", "*", "gzip;q=1, br;q=0.5"]) {
        expect([path, accepted, (await ask(service, path, accepted)).coding]).toEqual([path, accepted, null]);
      }
      const plain = await ask(service, path, "identity");
      for (const accepted of ["gzip, identity;q=0", "gzip;q=0.5, *;q=0"]) {
        const { coding, bytes } = await ask(service, path, accepted);
        expect([path, accepted, coding]).toEqual([path, accepted, "gzip"]);
        expect(Buffer.from(Bun.gunzipSync(bytes)).equals(plain.bytes)).toBe(true);
      }
    }
  });

  test("every variant says that it varies by Accept-Encoding", async () => {
    await using service = await startWithMany();
    for (const path of [LARGE, SMALL, "/v1/pets/1", "/openapi.json"]) {
      for (const accepted of ["identity", "gzip", ""]) {
        const { headers } = await ask(service, path, accepted);
        expect([path, headers.get("vary")]).toEqual([path, "Accept-Encoding, Origin"]);
      }
    }
  });

  test("refusals and creates are not compressed", async () => {
    await using service = await startWithMany();
    const accepting = { "accept-encoding": "gzip, br, zstd" };
    const created = await service.create(`{"name":"${"🐕".repeat(255)}","categoryId":1}`, accepting);
    const refused = await service.call(`/v1/pets?limit=${"x".repeat(2000)}`, { headers: accepting });
    for (const [status, answer] of [
      [201, created],
      [400, refused],
    ] as const) {
      expect([answer.status, answer.headers.get("content-encoding")]).toEqual([status, null]);
    }
  });

  test("HEAD has the headers of the variant that GET would return", async () => {
    await using service = await startWithMany();
    for (const accepted of ["identity", "gzip", "br", "zstd"]) {
      const get = await ask(service, LARGE, accepted);
      const head = await ask(service, LARGE, accepted, "HEAD");
      for (const name of ["content-encoding", "content-length", "etag", "content-type", "vary", "link"]) {
        expect([accepted, name, head.headers.get(name)]).toEqual([accepted, name, get.headers.get(name)]);
      }
      expect(head.bytes.length).toBe(0);
    }
  });
});
