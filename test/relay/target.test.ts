import { describe, expect, test } from "bun:test";
import { type Outcome, Target } from "../../relay/target.ts";
import { makeCertificate } from "../support/certificate.ts";

/** How often a target writes more. */
const WRITE_EVERY_MS = 1;
const BODY = '{"id":7}';
const NEVER = new AbortController().signal;

function post(url: string, options: Partial<ConstructorParameters<typeof Target>[0]> = {}): Promise<Outcome> {
  return new Target({ url: new URL(url), allowPrivate: true, ...options }).post(
    { body: BODY, headers: {} },
    NEVER,
  );
}

/** A server of raw bytes; `talk` is called with each connection once a request has come. */
function listen(talk: (socket: Bun.Socket<unknown>) => void) {
  const open = new Set<Bun.Socket<unknown>>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => void open.add(socket),
      close: (socket) => void open.delete(socket),
      data: talk,
      error: () => {},
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/`,
    open,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

test("each status of a target is an outcome", async () => {
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const status = Number(new URL(url).pathname.slice(1));
      return new Response(status === 204 ? null : "x", {
        status,
        headers: { "retry-after": "120", location: "/200" },
      });
    },
  });
  const outcome = (status: number) => post(`${server.url}${status}`);
  expect(await outcome(200)).toEqual({ kind: "delivered", status: 200 });
  expect(await outcome(204)).toEqual({ kind: "delivered", status: 204 });
  expect(await outcome(410)).toEqual({ kind: "gone" });
  for (const status of [301, 307, 308]) {
    expect(await outcome(status)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("redirect"),
    });
  }
  for (const status of [400, 404, 429, 500, 503]) {
    expect(await outcome(status)).toEqual({
      kind: "failed",
      reason: `status ${status}`,
      retryAfterMs: 120_000,
    });
  }
});

test("a target that never answers, or drips its head, fails after the time for an attempt", async () => {
  using silent = listen(() => {});
  expect(await post(silent.url, { timeoutMs: 100 })).toEqual({
    kind: "failed",
    reason: "no response within 0.1 s",
  });
  using dripping = listen((socket) => {
    const timer = setInterval(() => socket.write("H") || clearInterval(timer), 10);
    timer.unref();
  });
  expect(await post(dripping.url, { timeoutMs: 100 })).toMatchObject({ kind: "failed" });
});

test("a response of 100 MB, or one without an end, costs neither memory nor its connection's time", async () => {
  const chunk = Buffer.alloc(256 * 1024, "x");
  let written = 0;
  using flood = listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
    const timer = setInterval(() => {
      const count = socket.write(chunk);
      if (count < 0) clearInterval(timer);
      else written += count;
    }, WRITE_EVERY_MS);
    timer.unref();
  });
  expect(await post(flood.url)).toEqual({ kind: "delivered", status: 200 });
  expect(written).toBeLessThan(50 * 1024 * 1024);
  using endless = listen((socket) => {
    socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nx");
  });
  expect(await post(endless.url)).toEqual({ kind: "delivered", status: 202 });
});

test("a head of any size fails or arrives, and takes no memory beyond it", async () => {
  using flood = listen((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(
      () => socket.write(`x-a: ${"a".repeat(60_000)}\r\n`) < 0 && clearInterval(timer),
      1,
    );
    timer.unref();
  });
  expect(await post(flood.url)).toMatchObject({ kind: "failed" });
});

test("a connection that closes at any byte of the head fails, and after it the status counts", async () => {
  const head = "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n";
  for (let length = 0; length <= head.length; length++) {
    using server = listen((socket) => {
      socket.write(head.slice(0, length));
      socket.end();
    });
    const { kind } = await post(server.url);
    expect([length, kind]).toEqual([length, length === head.length ? "delivered" : "failed"]);
  }
});

test("a refused connection fails with its cause", async () => {
  expect(await post("http://127.0.0.1:1/")).toMatchObject({
    kind: "failed",
    reason: expect.stringMatching(/CONN|refused/i),
  });
});

describe("over TLS", () => {
  const right = makeCertificate("right");
  const serve = ({ cert, key }: typeof right) =>
    Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, fetch: () => new Response("ok") });

  test("a target with a certificate of its own name is accepted", async () => {
    await using server = serve(right);
    expect(await post(`https://127.0.0.1:${server.port}/`, { ca: right.cert })).toMatchObject({
      kind: "delivered",
    });
  });

  test("a wrong certificate is a failure: unknown, of another name, or expired", async () => {
    await using server = serve(right);
    expect(await post(`https://127.0.0.1:${server.port}/`)).toMatchObject({ kind: "failed" });
    const named = { ca: right.cert, resolve: async () => ["127.0.0.1"] };
    expect(await post(`https://hooks.example:${server.port}/`, named)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("ALTNAME"),
    });
    const expired = makeCertificate("expired", -10);
    await using old = serve(expired);
    expect(await post(`https://127.0.0.1:${old.port}/`, { ca: expired.cert })).toMatchObject({
      kind: "failed",
    });
  });
});

describe("without --allow-private", () => {
  test("a name that leads to an address of this network is refused, also when it led elsewhere before", async () => {
    let asked = 0;
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("reached") });
    const url = `http://rebinding.example:${server.port}/`;
    // The first answer is not reachable, and the next ones are what an attacker wants.
    const resolve = async () => (asked++ === 0 ? ["192.0.2.1"] : ["127.0.0.1", "::1"]);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await post(url, { allowPrivate: false, resolve })).toMatchObject({
        kind: "failed",
        reason: expect.stringContaining("not public"),
      });
    }
  });

  test("an address of this network is refused in any spelling", async () => {
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0.0.0.0",
      "localhost",
    ]) {
      expect(await post(`https://${host}/`, { allowPrivate: false })).toMatchObject({
        kind: "failed",
        reason: expect.stringContaining("not public"),
      });
    }
  });

  test("of several addresses only public ones are used", async () => {
    const resolve = async () => ["10.0.0.1", "1.1.1.1", "::1"];
    const target = new Target({ url: new URL("https://mixed.example"), allowPrivate: false, resolve });
    expect(await target.addresses()).toEqual(["1.1.1.1"]);
  });
});

test("the request goes to the address that was checked, with the target's own name", async () => {
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers, url }) =>
      new Response(null, { status: headers.get("host") === new URL(url).host ? 204 : 400 }),
  });
  let asked = 0;
  const resolve = async () => {
    asked++;
    return ["127.0.0.1"];
  };
  // Nothing else knows this name, so a second look-up would fail.
  expect(await post(`http://hooks.invalid:${server.port}/`, { resolve })).toEqual({
    kind: "delivered",
    status: 204,
  });
  expect(asked).toBe(1);
});
