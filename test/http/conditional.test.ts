import { expect, test } from "bun:test";
import { Conversation, type WireResponse } from "../../verify/wire/conversation.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";

const REX = '{"name":"Rex","categoryId":12}';
const PLAIN = { "accept-encoding": "identity" };

/** What is answered 200 to a GET once there are two animals. */
const PAGES = [
  "/v1/pets",
  "/v1/pets?limit=1",
  "/v1/pets?status=sold",
  "/v1/pets/1",
  "/openapi.json",
  "/docs",
  "/livez",
  "/readyz",
];

async function tagOf(
  service: Service,
  path: string,
  headers: Record<string, string> = PLAIN,
): Promise<string> {
  const answer = await service.call(path, { headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.headers.get("etag") ?? "none";
}

/** Asks on a connection, where nothing stands between the bytes and us. */
async function ask(
  conversation: Conversation,
  service: Service,
  method: "GET" | "HEAD",
  path: string,
  headers: readonly string[] = [],
): Promise<WireResponse> {
  const authorization = `Authorization: Bearer ${service.key}`;
  conversation.send(
    [`${method} ${path} HTTP/1.1`, "Host: a", authorization, ...headers, "", ""].join("\r\n"),
  );
  const answer = await conversation.next(method === "HEAD");
  if (!answer) throw new Error("the service closed the connection");
  return answer;
}

/** Headers by name, without what differs from answer to answer. */
function lasting(headers: Headers): Record<string, string> {
  const { date, "x-request-id": id, ...others } = headers.toJSON() as Record<string, string>;
  expect([date, id]).toEqual([expect.stringMatching(/ GMT$/), expect.any(String)]);
  return others;
}

onEveryEngine(({ startService }) => {
  async function startWithTwo(): Promise<Service> {
    const service = await startService();
    for (let n = 0; n < 2; n++) await service.create(REX);
    return service;
  }

  test("every 200 to a GET has a strong ETag, which stays the same while the content does", async () => {
    await using service = await startWithTwo();
    for (const path of PAGES) {
      const tag = await tagOf(service, path);
      expect([path, tag]).toEqual([path, expect.stringMatching(/^"[\x21\x23-\x7e]+"$/)]);
      expect(await tagOf(service, path)).toBe(tag);
    }
  });

  test("different content has a different ETag", async () => {
    await using service = await startWithTwo();
    const tags = await Promise.all(
      ["/v1/pets", "/v1/pets/1", "/v1/pets/2"].map((path) => tagOf(service, path)),
    );
    await service.create(REX);
    expect(new Set([...tags, await tagOf(service, "/v1/pets")]).size).toBe(4);
  });

  test("refusals have no ETag, and If-None-Match prevents none of them", async () => {
    await using service = await startWithTwo();
    const refusals: [number, string, Record<string, string>][] = [
      [401, "/v1/pets", { authorization: "Bearer nobody" }],
      [400, "/v1/pets?limit=0", {}],
      [404, "/v1/pets/3", {}],
      [404, "/v1/animals", {}],
      [404, "/nothing", {}],
    ];
    for (const [status, path, headers] of refusals) {
      const answer = await service.call(path, { headers: { "if-none-match": "*", ...headers } });
      expect([path, answer.status, answer.headers.get("etag")]).toEqual([path, status, null]);
    }
  });

  test("If-None-Match is read as RFC 9110 says, and a malformed one matches nothing", async () => {
    await using service = await startWithTwo();
    const tag = await tagOf(service, "/v1/pets");
    const inner = tag.slice(1, -1);
    const hits = [
      tag,
      `W/${tag}`,
      "*",
      `"other", ${tag}`,
      `${tag},"other"`,
      `"other",W/"another",W/${tag}`,
      `"with,comma", ${tag}`,
      `"", ${tag}`,
      `"back\\slash", ${tag}`,
      `, ,${tag} , ,"other",`,
      `"ümlaut", ${tag}`,
    ];
    const misses = [
      '"other"',
      'W/"other"',
      '""',
      inner,
      `"x,${inner},y"`,
      `"${inner}`,
      `${inner}"`,
      `w/${tag}`,
      `W/ ${tag}`,
      `${tag} "other"`,
      `"two words", ${tag}`,
      `"open, ${tag}`,
      `*, ${tag}`,
      `${tag}, *`,
      `${tag}; q=1`,
      `'${inner}'`,
      ",",
      "",
    ];
    const statusFor = async (condition: string) =>
      (await service.call("/v1/pets", { headers: { ...PLAIN, "if-none-match": condition } })).status;
    for (const condition of hits) expect([condition, await statusFor(condition)]).toEqual([condition, 304]);
    for (const condition of misses) expect([condition, await statusFor(condition)]).toEqual([condition, 200]);
  });

  test("If-None-Match may be sent in several fields", async () => {
    await using service = await startWithTwo();
    const tag = await tagOf(service, "/v1/pets");
    using conversation = await Conversation.open(service.address);
    const fields = ['If-None-Match: "other"', `If-None-Match: ${tag}`];
    expect((await ask(conversation, service, "GET", "/v1/pets", fields)).status).toBe(304);
    expect((await ask(conversation, service, "GET", "/v1/pets", fields.slice(0, 1))).status).toBe(200);
  });

  test("a 304 has the headers of its 200 that may have changed, and no body", async () => {
    await using service = await startWithTwo();
    using conversation = await Conversation.open(service.address);
    for (const path of PAGES) {
      const whole = await ask(conversation, service, "GET", path);
      const condition = `If-None-Match: ${whole.headers.get("etag")}`;
      const spared = await ask(conversation, service, "GET", path, [condition]);
      expect([path, spared.status]).toEqual([path, 304]);

      const { "content-type": _, "content-length": length, ...others } = lasting(whole.headers);
      expect(Number(length)).toBeGreaterThan(0);
      expect(lasting(spared.headers)).toEqual(others);
      expect(Object.keys(others)).toEqual(expect.arrayContaining(["etag", "cache-control", "vary"]));
    }
    // Had a 304 brought a body, the answers after it would have been out of step.
    expect((await ask(conversation, service, "GET", "/livez")).body).toBe('{"status":"live"}');
  });

  test("only the client may cache animals, and it revalidates before each use", async () => {
    await using service = await startWithTwo();
    for (const path of ["/v1/pets", "/v1/pets/1"]) {
      const { headers } = await service.call(path);
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("vary")?.toLowerCase().split(", ")).toContain("accept-encoding");
    }
  });

  test("HEAD gets the response to GET without its body", async () => {
    await using service = await startWithTwo();
    for (let n = 0; n < 30; n++) await service.create(REX);
    using conversation = await Conversation.open(service.address);
    const asked: [string, string[]][] = [
      ...PAGES.map((path): [string, string[]] => [path, []]),
      ["/v1/pets?limit=100", ["Accept-Encoding: gzip"]],
      ["/v1/pets", ["If-None-Match: *"]],
      ["/v1/pets/1", ["If-None-Match: *"]],
      ["/v1/pets?limit=0", []],
      ["/v1/pets/0", []],
      ["/v1/pets/1", ["Authorization: Bearer nobody"]],
      ["/nothing", []],
      ["/", []],
    ];
    for (const [path, headers] of asked) {
      const get = await ask(conversation, service, "GET", path, headers);
      const head = await ask(conversation, service, "HEAD", path, headers);
      expect([path, head.status, lasting(head.headers)]).toEqual([path, get.status, lasting(get.headers)]);
    }
  });

  test("a page that gets a next link gets another ETag, although its body is the same", async () => {
    for (const query of ["limit=2", "limit=2&status=available"]) {
      await using service = await startWithTwo();
      const path = `/v1/pets?${query}`;
      const last = await service.call(path);
      const tag = last.headers.get("etag") ?? "";
      expect(last.headers.get("link")).toBeNull();
      await service.create(REX);

      const followed = await service.call(path, { headers: { "if-none-match": tag } });
      expect([followed.status, await followed.text()]).toEqual([200, await last.text()]);
      expect(followed.headers.get("link")).toContain('rel="next"');
      // From then on the page is full: what comes later does not change it.
      const full = followed.headers.get("etag") ?? "";
      await service.create(REX);
      expect((await service.call(path, { headers: { "if-none-match": full } })).status).toBe(304);
    }
  });

  test("every response of the deprecated operation says so, even a 304", async () => {
    await using service = await startWithTwo();
    const nobody = { authorization: "Bearer nobody" };
    const asked: [number, string, RequestInit][] = [
      [200, "/v1/pets/1", {}],
      [304, "/v1/pets/1", { headers: { "if-none-match": "*" } }],
      [200, "/v1/pets/1", { method: "HEAD" }],
      [304, "/v1/pets/1", { method: "HEAD", headers: { "if-none-match": "*" } }],
      [404, "/v1/pets/3", {}],
      [404, "/v1/pets/x", { method: "HEAD" }],
      [401, "/v1/pets/1", { headers: nobody }],
      [401, "/v1/pets/1", { method: "HEAD", headers: nobody }],
      [400, "/v1/pets/1", { headers: { host: "no host" } }],
    ];
    for (const [status, path, init] of asked) {
      const { status: given, headers } = await service.call(path, init);
      const { deprecation, sunset, link } = headers.toJSON() as Record<string, string>;
      expect({ path, status: given, deprecation, sunset, link }).toEqual({
        path,
        status,
        deprecation: "@1764892800",
        sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
        link: '</v1/pets>; rel="successor-version"',
      });
    }
    expect((await service.call("/v1/pets")).headers.get("deprecation")).toBeNull();
  });

  test("each coding of a page has its own ETag, and If-None-Match is compared with that of the coding to be sent", async () => {
    await using service = await startWithTwo();
    for (let n = 0; n < 30; n++) await service.create(REX);
    const path = "/v1/pets?limit=100";
    const codings = ["identity", "gzip", "br", "zstd"];
    const tags = new Map<string, string>();
    for (const coding of codings) {
      tags.set(coding, await tagOf(service, path, { "accept-encoding": coding }));
    }
    expect(new Set(tags.values()).size).toBe(codings.length);

    for (const accepted of codings) {
      for (const [coding, tag] of tags) {
        const answer = await service.call(path, {
          headers: { "accept-encoding": accepted, "if-none-match": tag },
        });
        expect([accepted, coding, answer.status]).toEqual([
          accepted,
          coding,
          coding === accepted ? 304 : 200,
        ]);
        expect(answer.headers.get("etag")).toBe(tags.get(accepted) ?? "");
        if (answer.status === 304) expect(answer.headers.get("content-encoding")).toBeNull();
      }
    }
  });
});
