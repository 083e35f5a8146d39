import { expect, test } from "bun:test";
import { makeCertificate } from "../support/certificate.ts";
import { startService } from "../support/service.ts";

const HEADER = "strict-transport-security";
const PATHS = ["/v1/pets", "/v1/nothing", "/livez", "/docs", "/nothing"];

test("HSTS_SECONDS: over TLS every response makes browsers use https only", async () => {
  const { cert, key } = makeCertificate("one");
  await using service = await startService({ hstsSeconds: 3600, tls: { cert, key } });
  for (const path of PATHS) {
    const answer = await fetch(service.address + path, { redirect: "manual", tls: { ca: cert } });
    expect([path, answer.headers.get(HEADER)]).toEqual([path, "max-age=3600"]);
  }
});

test("HSTS_SECONDS: without TLS only what a declared proxy says came by https", async () => {
  const headersOf = async (address: string, proto?: string) =>
    (await fetch(`${address}/livez`, { ...(proto && { headers: { "x-forwarded-proto": proto } }) })).headers;
  await using trusting = await startService({ hstsSeconds: 3600, trustProxy: true });
  expect((await headersOf(trusting.address, "https")).get(HEADER)).toBe("max-age=3600");
  expect((await headersOf(trusting.address, "http, https")).get(HEADER)).toBe("max-age=3600");
  // RFC 6797, section 7.2: never over http.
  for (const proto of [undefined, "http", "https, http", ""]) {
    expect([proto, (await headersOf(trusting.address, proto)).has(HEADER)]).toEqual([proto, false]);
  }
  await using other = await startService({ hstsSeconds: 3600 });
  expect((await headersOf(other.address, "https")).has(HEADER)).toBe(false);
  await using off = await startService({ trustProxy: true });
  expect((await headersOf(off.address, "https")).has(HEADER)).toBe(false);
});
