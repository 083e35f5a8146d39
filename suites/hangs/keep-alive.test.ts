import { expect, test } from "bun:test";
import { onEveryEngine } from "../../test/support/engines.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

/** The runtime looks every 4 s. */
const FRESH_SECONDS = 12;
const KEEP_ALIVE_SECONDS = 20;

onEveryEngine(({ startService }) => {
  test("a connection stays open for KEEP_ALIVE_SECONDS after a request with a valid key, a proxy's after any, others for 12 s", async () => {
    await using service = await startService({ keepAliveSeconds: KEEP_ALIVE_SECONDS });
    await using proxied = await startService({ keepAliveSeconds: KEEP_ALIVE_SECONDS, trustProxy: true });
    const get = (path: string, key = "as_live_nothing") =>
      `GET ${path} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const silentFor = async (bytes: string, { address } = service) => {
      using conversation = await Conversation.open(address);
      conversation.send(bytes);
      if (bytes.endsWith("\r\n\r\n")) expect(await conversation.next()).toBeDefined();
      const since = performance.now();
      expect(await conversation.closed()).toBe("");
      return (performance.now() - since) / 1000;
    };
    const kept = ["/v1/pets", "/v1/pets/1", "/v1/nothing"].map((path) => silentFor(get(path, service.key)));
    for (const path of ["/v1/pets", "/livez"]) kept.push(silentFor(get(path), proxied));
    const create = `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${service.key}\r\n`;
    const body = '{"name":"Rex","categoryId":1}';
    const created = `${create}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    using creator = await Conversation.open(service.address);
    creator.send(created);
    expect((await creator.next())?.status).toBe(201);
    const cutOff = ["", "GET /v1", get("/v1/pets"), get("/livez", service.key)].map((bytes) =>
      silentFor(bytes),
    );
    cutOff.push(silentFor("GET /v1", proxied));
    // Upper bounds would be judged by time: that one outlasts the other says enough.
    const latest = Math.max(...(await Promise.all(cutOff)));
    expect(creator.over).toBe(false);
    const earliest = Math.min(...(await Promise.all(kept)));
    expect(await creator.closed()).toBe("");
    expect(latest).toBeGreaterThan(FRESH_SECONDS - 4.5);
    expect(earliest).toBeGreaterThan(Math.max(latest, KEEP_ALIVE_SECONDS - 4.5));
  });
});
