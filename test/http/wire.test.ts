import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Conversation, type WireResponse } from "../../verify/wire/conversation.ts";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";
import { until } from "../support/until.ts";

// Bytes as no HTTP client would send them, judged by RFC 9112 and RFC 9110. Where the runtime's own parser
// does otherwise, the case says so and holds what it does today: a newer runtime that fixes it fails here,
// and SECURITY.md must then be corrected.

/** An answer of ours, by its status; an Error, by its code; or a refusal of the runtime's, which has no body. */
type Expected = number | string | { readonly runtime: number };

interface Case {
  readonly what: string;
  /** As Latin-1. KEY stands for the API key. */
  readonly bytes: string;
  /** All that comes back, in order. */
  readonly answers: readonly Expected[];
  readonly closed: boolean;
  /** Whether the first request is a HEAD. */
  readonly head?: boolean;
  /** Whether it must go out at once: byte by byte it would be another case. */
  readonly whole?: boolean;
  /**
   * Whether more comes behind a request that is answered at once where reads are, and from a database not: the
   * runtime then closes the connection, and the answers of ours are lost. Not as one would wish.
   */
  readonly hasty?: boolean;
}

const refused = (what: string, bytes: string, status = 400): Case => ({
  what,
  bytes,
  answers: [{ runtime: status }],
  closed: true,
});
const answered = (what: string, bytes: string, ...answers: Expected[]): Case => ({
  what,
  bytes,
  answers,
  closed: false,
});
const answeredLast = (what: string, bytes: string, ...answers: Expected[]): Case => ({
  what,
  bytes,
  answers,
  closed: true,
});
const hasty = (each: Case): Case => ({ ...each, hasty: true });

const HOST = "Host: shop\r\n";
const KEY = "Authorization: Bearer KEY\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const BODY = '{"name":"Rex","categoryId":12}';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";

/** A request with a key and whatever else. */
const request = (line: string, fields = HOST, body = "") => `${line}\r\n${fields}${KEY}\r\n${body}`;
const get = (fields = "") => request("GET /v1/pets HTTP/1.1", HOST + fields);
const target = (text: string) => request(`GET ${text} HTTP/1.1`);
const post = (framing: string, body: string) =>
  request("POST /v1/pets HTTP/1.1", HOST + JSON_TYPE + framing, body);
const chunked = (body: string, framing = CHUNKED) => post(framing, body);
const oneChunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const LIVE = `GET /livez HTTP/1.1\r\n${HOST}\r\n`;

/** RFC 9112, section 6: how long a body is must have one meaning. */
const LENGTHS: readonly Case[] = [
  answered("a length", post(LENGTH, BODY), 201),
  answered("a length with zeros before it", post(`Content-Length: 000${BODY.length}\r\n`, BODY), 201),
  answered("a length with spaces around it", post(`Content-Length: \t ${BODY.length} \t\r\n`, BODY), 201),
  answered("a length of 0", post("Content-Length: 0\r\n", ""), "malformed_body"),
  answered("no length and no coding", post("", ""), "malformed_body"),
  refused("a length, then a coding", post(LENGTH + CHUNKED, oneChunk(BODY))),
  refused("a coding, then a length", post(CHUNKED + LENGTH, oneChunk(BODY))),
  refused("a length and a coding on a GET", get(LENGTH + CHUNKED) + oneChunk(BODY)),
  refused("two lengths that differ", post(`${LENGTH}Content-Length: 5\r\n`, BODY)),
  // The runtime takes two equal ones, as section 6.3 allows; we do not.
  answeredLast("two lengths that are equal", post(LENGTH + LENGTH, BODY), "malformed_body"),
  refused("a list of equal lengths", post(`Content-Length: ${BODY.length}, ${BODY.length}\r\n`, BODY)),
  refused("a length with a plus", post(`Content-Length: +${BODY.length}\r\n`, BODY)),
  refused("a negative length", post("Content-Length: -1\r\n", BODY)),
  refused("a hexadecimal length", post("Content-Length: 0x1e\r\n", BODY)),
  refused("a length with a fraction", post("Content-Length: 30.0\r\n", BODY)),
  refused("a length in two parts", post("Content-Length: 3 0\r\n", BODY)),
  refused("an empty length", post("Content-Length:\r\n", BODY)),
  refused("a length past 2^64", post("Content-Length: 18446744073709551646\r\n", BODY)),
  hasty(
    answeredLast("more body than its length", post("Content-Length: 5\r\n", BODY), "malformed_body", {
      runtime: 400,
    }),
  ),
  answered("a coding in capitals", post("Transfer-Encoding: CHUNKED\r\n", oneChunk(BODY)), 201),
  answered("a coding with no space before it", post("Transfer-Encoding:chunked\r\n", oneChunk(BODY)), 201),
  answered("a coding with tabs around it", post("Transfer-Encoding:\tchunked\t\r\n", oneChunk(BODY)), 201),
  // RFC 9110, section 5.6.1.2: empty elements of a list are ignored.
  answered("a coding with commas around it", post("Transfer-Encoding: ,chunked,\r\n", oneChunk(BODY)), 201),
  refused("a coding twice", post(CHUNKED + CHUNKED, oneChunk(BODY))),
  ...[
    "chunked, chunked",
    "identity",
    "gzip, chunked",
    "chunked, gzip",
    "chunked, identity",
    "xchunked",
    '"chunked"',
    "chunked;a=b",
    "chunked chunked",
    "\x0bchunked",
    "chunked\x00",
    "",
  ].map((coding) =>
    refused(`the coding ${JSON.stringify(coding)}`, post(`Transfer-Encoding: ${coding}\r\n`, oneChunk(BODY))),
  ),
  refused("two codings in two fields", post(`Transfer-Encoding: gzip\r\n${CHUNKED}`, oneChunk(BODY))),
  refused("a space before the colon of a coding", post("Transfer-Encoding : chunked\r\n", oneChunk(BODY))),
  refused(
    "a coding in HTTP/1.0",
    request("POST /v1/pets HTTP/1.0", HOST + JSON_TYPE + CHUNKED, oneChunk(BODY)),
  ),
  // The field means nothing, so there is no body, and what follows the head is no request.
  hasty(
    answeredLast(
      "a coding with an underscore",
      post("Transfer_Encoding: chunked\r\n", oneChunk(BODY)),
      "malformed_body",
      { runtime: 400 },
    ),
  ),
  // Over the size: refused by the head alone, and the connection goes on where the body ends.
  answered("a body over the size", post("Content-Length: 65537\r\n", " ".repeat(65537)), "body_too_large"),
  answered("a chunked body over the size", chunked(oneChunk(" ".repeat(65537))), "body_too_large"),
  answered(
    "a body that nobody asked for, on a GET",
    request("GET /v1/pets HTTP/1.1", HOST + LENGTH, BODY),
    200,
  ),
  answered("a chunked body on a GET", request("GET /v1/pets HTTP/1.1", HOST + CHUNKED, oneChunk(BODY)), 200),
  answered(
    "a body that is not read, since there is no key",
    `POST /v1/pets HTTP/1.1\r\n${HOST}${JSON_TYPE}${LENGTH}\r\n${BODY}`,
    "unauthorized",
  ),
];

/** RFC 9112, section 7.1. */
const CHUNKS: readonly Case[] = [
  answered("one chunk", chunked(oneChunk(BODY)), 201),
  answered(
    "a chunk for every byte",
    chunked(`${[...BODY].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`),
    201,
  ),
  answered("a size in capitals", chunked(`1E\r\n${BODY}\r\n0\r\n\r\n`), 201),
  answered("a size with zeros before it", chunked(`${"0".repeat(40)}1e\r\n${BODY}\r\n000\r\n\r\n`), 201),
  answered("an extension", chunked(`1e;a=b\r\n${BODY}\r\n0;c\r\n\r\n`), 201),
  answered("a quoted extension", chunked(`1e;a="b;c"\r\n${BODY}\r\n0\r\n\r\n`), 201),
  refused("a bare LF in an extension", chunked(`1e;a\nb\r\n${BODY}\r\n0\r\n\r\n`)),
  refused("a space before an extension", chunked(`1e ;a\r\n${BODY}\r\n0\r\n\r\n`)),
  refused("an extension without end", chunked(`1e;${"a".repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`), 413),
  // The RFC wants a limit to their sum; the runtime has one for each. Nothing keeps them.
  answered(
    "extensions that add up",
    chunked(`${`1;${"a".repeat(1000)}\r\n \r\n`.repeat(40)}1e\r\n${BODY}\r\n0\r\n\r\n`),
    201,
  ),
  ...["0x1e", "-1e", "+1e", " 1e", "1e ", "1g", "", "1000000000000001e", "7fffffffffffffff"].map((size) =>
    refused(`the size ${JSON.stringify(size)}`, chunked(`${size}\r\n${BODY}\r\n0\r\n\r\n`)),
  ),
  refused("a bare LF after the size", chunked(`1e\n${BODY}\r\n0\r\n\r\n`)),
  refused("a bare CR after the size", chunked(`1e\r${BODY}\r\n0\r\n\r\n`)),
  refused("a bare LF after the data", chunked(`1e\r\n${BODY}\n0\r\n\r\n`)),
  refused("nothing after the data", chunked(`1e\r\n${BODY}0\r\n\r\n`)),
  refused("less data than its size", chunked(`1f\r\n${BODY}\r\n0\r\n\r\n`)),
  refused("more data than its size", chunked(`1d\r\n${BODY}\r\n0\r\n\r\n`)),
  refused("a bare LF after the last size", chunked(`1e\r\n${BODY}\r\n0\n\n`)),
  // The runtime gives us the body before it has seen these; nothing may be stored of it.
  { ...refused("a bare LF at the end", chunked(`1e\r\n${BODY}\r\n0\r\n\n`)), whole: true },
  // Not by the RFC: section 7.1.2 allows a trailer.
  { ...refused("a trailer", chunked(`1e\r\n${BODY}\r\n0\r\nX-Sum: 1\r\n\r\n`)), whole: true },
  {
    ...refused("a trailer that would change the length", chunked(`1e\r\n${BODY}\r\n0\r\n${LENGTH}\r\n`)),
    whole: true,
  },
];

/** RFC 9112, sections 2.2 and 5. */
const HEADS: readonly Case[] = [
  answered("a plain GET", get(), 200),
  answered("a field with no value", get("X-Empty:\r\n"), 200),
  answered("a field in ISO 8859-1", get("X-Text: caf\xe9\r\n"), 200),
  answered("a field with DEL", get("X-Text: a\x7fb\r\n"), 200),
  refused("a folded field", get("X-Text: a\r\n b\r\n")),
  refused("a field folded with a tab", get("X-Text: a\r\n\tb\r\n")),
  refused("a first field that is folded", request("GET /v1/pets HTTP/1.1", ` ${HOST}`)),
  refused("a bare LF after a field", get("X-Text: a\n")),
  refused("a bare LF at the end of the head", `GET /v1/pets HTTP/1.1\r\n${HOST}\n`),
  refused("a bare CR in a value", get("X-Text: a\rb\r\n")),
  refused("a bare CR in a name", get("X\r-Text: a\r\n")),
  refused("NUL in a value", get("X-Text: a\0b\r\n")),
  refused("NUL in a name", get("X\0Text: a\r\n")),
  refused("NUL in the host", request("GET /v1/pets HTTP/1.1", "Host: a\0b\r\n")),
  refused("NUL after the key", `GET /v1/pets HTTP/1.1\r\n${HOST}Authorization: Bearer KEY\0\r\n\r\n`),
  refused("a control character in a value", get("X-Text: a\x01b\r\n")),
  refused("a space before a colon", get("X-Text : a\r\n")),
  refused("a space in a name", get("X Text: a\r\n")),
  refused("a parenthesis in a name", get("X(Text: a\r\n")),
  refused("a name that is not ASCII", get("X-T\xe9xt: a\r\n")),
  refused("a field with no colon", get("X-Text\r\n")),
  refused("a field with no name", get(": a\r\n")),
  answered("a head of 15 KB", get(`X-Text: ${"a".repeat(15_000)}\r\n`), 200),
  refused("a head of 17 KB", get(`X-Text: ${"a".repeat(17_000)}\r\n`), 431),
  refused("a head of 1 MB", get(`X-Text: ${"a".repeat(1_000_000)}\r\n`), 431),
  answered("190 fields", get("X-Text: a\r\n".repeat(190)), 200),
  refused("1,000 fields", get("X-Text: a\r\n".repeat(1000)), 431),
  refused("a target of 100 KB", target(`/v1/pets?x=${"a".repeat(100_000)}`), 431),
  refused("a target without end", `GET /v1/pets?x=${"a".repeat(100_000)}`, 431),
  refused("a method without end", "A".repeat(100_000), 431),
  answered("two keys", get(KEY), "unauthorized"),
  answered("two media types", post(JSON_TYPE + LENGTH, BODY), "unsupported_media_type"),
  answered(
    "a content coding",
    post(`Content-Encoding: gzip\r\n${LENGTH}`, BODY),
    "unsupported_content_encoding",
  ),
  answered(
    "two content codings",
    post(`Content-Encoding: identity\r\nContent-Encoding: gzip\r\n${LENGTH}`, BODY),
    "unsupported_content_encoding",
  ),
  answered(
    "a content coding of a chunked body",
    chunked(oneChunk(BODY), `Content-Encoding: br\r\n${CHUNKED}`),
    "unsupported_content_encoding",
  ),
  answered("a content coding on a GET", get("Content-Encoding: gzip\r\n"), 200),
  // Not by the RFC: section 2.2 asks to ignore an empty line before a request.
  refused("an empty line before the request", `\r\n${get()}`),
  hasty(answeredLast("an empty line after a request", `${get()}\r\n${get()}`, 200, { runtime: 400 })),
  refused("bytes that are no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
];

/** RFC 9112, section 3.2. */
const HOSTS: readonly Case[] = [
  ...[
    "",
    "shop",
    "shop:80",
    "shop:",
    "shop:99999",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:80",
    "[::ffff:127.0.0.1]",
    "[v1.a:b]:80",
    "a_b.shop",
    "%41",
    "%2f",
    "!$&'()*+,;=~",
    "a,b",
    "h".repeat(1000),
  ].map((host) =>
    answered(`the host ${JSON.stringify(host)}`, request("GET /v1/pets HTTP/1.1", `Host: ${host}\r\n`), 200),
  ),
  ...[
    "a b",
    "a, b",
    "user@shop",
    "shop/v1",
    "shop?x",
    "shop#x",
    "http://shop",
    "a\\b",
    "<a>",
    '"a"',
    "sh\xc3\xb6p",
    "%4",
    "%zz",
    "shop:80:80",
    "shop:http",
    "shop:-1",
    "::1",
    "[::1",
    "::1]",
    "[]",
    "[shop]",
    "[1:2]",
    "[::1%25lo]",
    "[::1%lo]",
    "[::1]x",
    "[v1]",
    "a[::1]",
  ].map((host) =>
    answeredLast(
      `the host ${JSON.stringify(host)}`,
      request("GET /v1/pets HTTP/1.1", `Host: ${host}\r\n`),
      "invalid_host",
    ),
  ),
  refused("no host", request("GET /v1/pets HTTP/1.1", "")),
  answeredLast("two hosts", request("GET /v1/pets HTTP/1.1", "Host: a\r\nHost: b\r\n"), "invalid_host"),
  answeredLast("the same host twice", request("GET /v1/pets HTTP/1.1", HOST + HOST), "invalid_host"),
  answeredLast(
    "an empty host, then another",
    request("GET /v1/pets HTTP/1.1", `Host:\r\n${HOST}`),
    "invalid_host",
  ),
  answeredLast(
    "two hosts where no key is needed",
    `GET /livez HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    "invalid_host",
  ),
  answeredLast("two hosts in HTTP/1.0", request("GET /v1/pets HTTP/1.0", HOST + HOST), "invalid_host"),
  answeredLast(
    "two hosts with an absolute target",
    request("GET http://shop/v1/pets HTTP/1.1", HOST + HOST),
    "invalid_host",
  ),
];

/** RFC 9112, section 3.2. */
const TARGETS: readonly Case[] = [
  answered("an absolute target", target("http://elsewhere/v1/pets"), 200),
  answered(
    "an absolute target with a query",
    target("http://elsewhere/v1/pets?limit=0"),
    "invalid_parameter",
  ),
  answered("an absolute https target", target("https://elsewhere/v1/pets"), 200),
  answered("an absolute target in capitals", target("HTTP://ELSEWHERE/v1/pets"), 200),
  answered("an absolute target with user and port", target("http://u:p@elsewhere:80/v1/pets"), 200),
  answered("an absolute target with no path", target("http://elsewhere"), 200),
  answered("an absolute target with a query and no path", target("http://elsewhere?x=/v1/pets"), 200),
  // Not by the RFC: RFC 9110, section 4.2.1, wants it refused. We do not see that it was there.
  answered("an absolute target with no host", target("http:///v1/pets"), 200),
  refused("an absolute target of another scheme", target("ftp://elsewhere/v1/pets")),
  refused("an authority to GET", target("shop:80")),
  // The runtime reads no request behind a CONNECT, so we close.
  answeredLast("an authority to CONNECT", request("CONNECT shop:80 HTTP/1.1"), "path_not_found"),
  answeredLast("CONNECT with a path", request("CONNECT /v1/pets HTTP/1.1"), "method_not_allowed"),
  // Not by the RFC: section 3.2.4 gives it a meaning.
  refused("OPTIONS *", request("OPTIONS * HTTP/1.1")),
  refused("GET *", target("*")),
  refused("a path with no slash before it", target("v1/pets")),
  refused("a query with no path", target("?limit=1")),
  answered("an address in the query", target("/v1/pets?x=http://elsewhere/v1/pets"), 200),
  answered("an address in the path", target("/http://elsewhere/v1/pets"), "path_not_found"),
  answered("two slashes", target("//v1/pets"), "path_not_found"),
  answered("two slashes and a host", target("//elsewhere/v1/pets"), "path_not_found"),
  answered("dots that lead back", target("/v1/../v1/pets"), 200),
  answered("dots that lead out", target("/v1/../../pets"), "path_not_found"),
  answered("dots that lead back, escaped", target("/v1/%2e%2E/v1/./pets"), 200),
  // Not by the RFC, which knows no backslash here: the runtime takes it for a slash.
  answered("backslashes", target("/v1\\pets"), 200),
  answered("a fragment", target("/v1/pets#x"), "path_not_found"),
  answered("a fragment after the query", target("/v1/pets?limit=1#x"), "invalid_parameter"),
  answered("a path in UTF-8", target("/v1/p\xc3\xa9ts"), "path_not_found"),
  answered("a path that is not UTF-8", target("/v1/p\xe9ts"), "path_not_found"),
  answered("characters that must be escaped", target('/v1/pets?status=<">{}|^`'), "invalid_parameter"),
  // The RFC asks for 400; the runtime takes these for a version that it does not know.
  refused("NUL in the target", target("/v1/p\0ets"), 505),
  refused("a space in the target", target("/v1/pets ?limit=1"), 505),
  refused("a tab in the target", target("/v1/pets\t"), 505),
  refused("two spaces before the version", target("/v1/pets "), 505),
  refused("two spaces before the target", target(" /v1/pets")),
];

/** RFC 9112, sections 2.3 and 3.1; RFC 9110, section 9. */
const METHODS_AND_VERSIONS: readonly Case[] = [
  answeredLast("HTTP/1.0", request("GET /v1/pets HTTP/1.0"), 200),
  answeredLast("HTTP/1.0 without a host", request("GET /v1/pets HTTP/1.0", ""), 200),
  answeredLast("HTTP/1.0 with an absolute target", request("GET http://a/v1/pets HTTP/1.0", ""), 200),
  answeredLast(
    "HTTP/1.0 that would stay",
    request("GET /v1/pets HTTP/1.0", "Connection: keep-alive\r\n"),
    200,
  ),
  answeredLast("a create in HTTP/1.0", request("POST /v1/pets HTTP/1.0", JSON_TYPE + LENGTH, BODY), 201),
  answeredLast(
    "a create of no length in HTTP/1.0",
    request("POST /v1/pets HTTP/1.0", JSON_TYPE, BODY),
    "malformed_body",
  ),
  ...[
    "HTTP/0.9",
    "HTTP/2.0",
    "HTTP/3",
    "HTTP/1",
    "HTTP/1.10",
    "HTTP/01.1",
    "http/1.1",
    "HTTPS/1.1",
    "ICY",
  ].map((version) => refused(version, request(`GET /v1/pets ${version}`), 505)),
  // Not by the RFC: RFC 9110, section 2.5, wants a minor version that is not known treated as 1.1.
  refused("HTTP/1.2", request("GET /v1/pets HTTP/1.2"), 505),
  refused("HTTP/0.9 without a version", "GET /v1/pets\r\n", 505),
  refused("bare LFs throughout", "GET /v1/pets HTTP/1.1\nHost: shop\n\n", 505),
  refused("a bare CR after the request line", `GET /v1/pets HTTP/1.1\r${HOST}\r\n`, 505),
  refused("a space after the version", request("GET /v1/pets HTTP/1.1 "), 505),
  refused("tabs for spaces", request("GET\t/v1/pets\tHTTP/1.1"), 505),
  refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  answered(
    "an upgrade to HTTP/2",
    get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
    200,
  ),
  answered(
    "an upgrade to WebSocket",
    get(
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ),
    200,
  ),
  ...["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "PURGE"].map((method) =>
    answered(method, request(`${method} /v1/pets HTTP/1.1`), "method_not_allowed"),
  ),
  refused("no method", request(" /v1/pets HTTP/1.1")),
  refused("NUL in a method", request("G\0ET /v1/pets HTTP/1.1"), 505),
  // RFC 9110, section 9.1, asks for 501; the runtime closes without a word.
  ...["get", "Get", "BREW", "GE", "GETT"].map((method) => ({
    what: `the method ${method}`,
    bytes: request(`${method} /v1/pets HTTP/1.1`),
    answers: [],
    closed: true,
  })),
];

/** RFC 9112, section 9; RFC 9110, section 10.1.1. */
const CONNECTIONS: readonly Case[] = [
  answeredLast("Connection: close", get("Connection: close\r\n"), 200),
  answeredLast("Connection: CLOSE, among others", get("Connection: x, CLOSE\r\n"), 200),
  answeredLast("a request after Connection: close", get("Connection: close\r\n") + get(), 200),
  answeredLast("Connection that names other fields", get("Connection: close, host, authorization\r\n"), 200),
  hasty(
    answered(
      "GETs one behind the other",
      get() + target("/v1/pets?limit=0") + LIVE,
      200,
      "invalid_parameter",
      200,
    ),
  ),
  answered("many GETs one behind the other", LIVE.repeat(50), ...Array<number>(50).fill(200)),
  hasty({ ...answered("HEAD, then GET", request("HEAD /v1/pets HTTP/1.1") + get(), 200, 200), head: true }),
  { ...answered("HEAD of nothing", request("HEAD /nothing HTTP/1.1"), 404), head: true },
  { ...answered("HEAD of a page", request("HEAD /docs HTTP/1.1"), 200), head: true },
  answered("Expect: 100-continue", post(`${LENGTH}Expect: 100-continue\r\n`, BODY), { runtime: 100 }, 201),
  // The RFC does not ask for a 100 where the answer is known, but lets it be.
  answered(
    "Expect: 100-continue with a body over the size",
    post("Content-Length: 65537\r\nExpect: 100-continue\r\n", " ".repeat(65537)),
    { runtime: 100 },
    "body_too_large",
  ),
  // Not by the RFC: the expectation has no case. A client then sends its body after a while all the same.
  answered("Expect: 100-CONTINUE", post(`${LENGTH}Expect: 100-CONTINUE\r\n`, BODY), 201),
  // The RFC lets an unknown expectation be ignored.
  answered("another expectation", post(`${LENGTH}Expect: magic\r\n`, BODY), 201),
  // Not by the RFC: HTTP/1.0 knows no 100.
  answeredLast(
    "Expect: 100-continue in HTTP/1.0",
    request("POST /v1/pets HTTP/1.0", `${JSON_TYPE}${LENGTH}Expect: 100-continue\r\n`, BODY),
    { runtime: 100 },
    201,
  ),
];

const GROUPS = {
  "length of a body": LENGTHS,
  chunks: CHUNKS,
  head: HEADS,
  host: HOSTS,
  target: TARGETS,
  "method and version": METHODS_AND_VERSIONS,
  connection: CONNECTIONS,
};

/** Less than the runtime takes to cut off a silent client: a connection that is to be closed must not wait for that. */
const CASE_MAX_MS = 7000;
/** Byte by byte only what is short: it takes a turn of the event loop for each. */
const DRIPPED_MAX_BYTES = 600;

type Send = (conversation: Conversation, bytes: string) => void | Promise<void>;

const atOnce: Send = (conversation, bytes) => conversation.send(bytes);

async function drip(conversation: Conversation, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (conversation.over) return;
    conversation.send(byte);
    await new Promise(setImmediate);
  }
}

/** What is left of a case whose answers of ours are lost. */
function lost({ answers, ...each }: Case): Case {
  return { ...each, answers: answers.filter((answer) => typeof answer === "object"), closed: true };
}

function expectAnswer(answer: WireResponse | undefined, expected: Expected, toHead: boolean): void {
  if (answer === undefined) throw new Error(`closed without an answer; expected ${JSON.stringify(expected)}`);
  const { status, headers, body } = answer;
  if (typeof expected === "object") {
    expect({ runtime: status, body, ours: headers.has("x-request-id") }).toEqual({
      ...expected,
      body: "",
      ours: false,
    });
    if (status >= 200) expect(headers.get("connection")).toBe("close");
    return;
  }
  for (const name of ["x-request-id", "x-content-type-options", "date"])
    expect([...headers.keys()]).toContain(name);
  if (typeof expected === "number") {
    expect({ status, body }).toEqual({ status: expected, body });
    if (toHead) expect(Number(headers.get("content-length"))).toBeGreaterThan(0);
  } else {
    const message = expect.stringMatching(/./);
    expect(JSON.parse(body)).toEqual({ code: expected, message, status });
    if (expected === "invalid_host") expect(headers.get("connection")).toBe("close");
  }
}

onEveryEngine(({ startService, readsAtOnce }) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(async () => {
    // None of all this was a failure of ours.
    expect(service.events).toEqual([]);
    await service[Symbol.asyncDispose]();
  });

  for (const [group, cases] of Object.entries(GROUPS)) {
    describe(group, () => {
      for (const each of cases) {
        if (each.hasty && !readsAtOnce) {
          test(`${each.what}: not answered`, () => hold(lost(each), atOnce), CASE_MAX_MS);
          continue;
        }
        test(each.what, () => hold(each, atOnce), CASE_MAX_MS);
        if (each.whole || each.bytes.length > DRIPPED_MAX_BYTES) continue;
        test(`${each.what}, byte by byte`, () => hold(each, drip), CASE_MAX_MS);
      }
    });
  }

  /** Holds the service to a case: the answers, what becomes of the connection, and that no more is stored. */
  async function hold({ bytes, answers, closed, head = false }: Case, send: Send): Promise<void> {
    const before = await stored();
    using conversation = await Conversation.open(service.address);
    const sent = send(conversation, bytes.replaceAll("KEY", service.key));
    for (const [at, expected] of answers.entries()) {
      expectAnswer(await conversation.next(head && at === 0), expected, head && at === 0);
    }
    await sent;
    if (closed) {
      expect(await conversation.closed()).toBe("");
    } else {
      // That the connection is open, and both sides agree where on it they are, another request shows.
      conversation.send(LIVE);
      expect((await conversation.next())?.body).toBe('{"status":"live"}');
    }
    // Creates are stored in the order in which they come: after this one, nothing of the above is on its way.
    expect((await service.create(BODY)).status).toBe(201);
    expect(await stored()).toBe(before + answers.filter((answer) => answer === 201).length + 1);
  }

  async function stored(): Promise<number> {
    const [row] = await service.database.query<{ count: unknown }>("SELECT count(*) AS count FROM animal");
    return Number(row?.count);
  }

  // RFC 9112, section 9.6.
  test("a response to `Connection: close` repeats it, and is the last", async () => {
    for (const value of ["close", "Close", "keep-alive, close", "close,te"]) {
      using conversation = await Conversation.open(service.address);
      conversation.send(get(`Connection: ${value}\r\n`).replace("KEY", service.key));
      expect((await conversation.next())?.headers.get("connection")).toBe("close");
      expect(await conversation.closed()).toBe("");
    }
    for (const value of ["keep-alive", "closed", "te"]) {
      using conversation = await Conversation.open(service.address);
      conversation.send(get(`Connection: ${value}\r\n`).replace("KEY", service.key));
      expect((await conversation.next())?.headers.has("connection")).toBe(false);
      conversation.send(get().replace("KEY", service.key));
      expect((await conversation.next())?.status).toBe(200);
    }
  });

  test("CONNECT to an authority gets a 404", async () => {
    using conversation = await Conversation.open(service.address);
    conversation.send(request("CONNECT shop:80 HTTP/1.1").replace("KEY", service.key));
    expect((await conversation.next())?.body).toContain("nothing at `shop:80`");
  });

  test("concurrent GETs of many clients are all answered, and so are pipelined ones afterwards", async () => {
    const answers = async (n: number) => {
      using conversation = await Conversation.open(service.address);
      for (let time = 0; time < 20; time++) {
        conversation.send(target(`/v1/pets?limit=1&n=${n}.${time}`).replace("KEY", service.key));
        expect((await conversation.next())?.status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, n) => answers(n)));
    // Where every read waits, a pipelined one is never answered.
    if (!readsAtOnce) return;
    await until(async () => {
      using conversation = await Conversation.open(service.address);
      conversation.send((get() + get()).replaceAll("KEY", service.key));
      return (await conversation.next())?.status === 200 && (await conversation.next())?.status === 200;
    });
  });

  describe("links", () => {
    const NEXT = /^<\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/;

    test("never come from a Host or an absolute target", async () => {
      await service.create(BODY);
      await service.create(BODY);
      for (const bytes of [
        request("GET /v1/pets?limit=1 HTTP/1.1", "Host: evil.example\r\nX-Forwarded-Host: evil.example\r\n"),
        request("GET http://evil.example/v1/pets?limit=1 HTTP/1.1"),
        request("GET /v1/pets?limit=1 HTTP/1.1", "Host: evil.example:99999\r\n"),
        request("GET /v1/pets?limit=1 HTTP/1.0", ""),
      ]) {
        using conversation = await Conversation.open(service.address);
        conversation.send(bytes.replace("KEY", service.key));
        const answer = await conversation.next();
        expect(answer?.headers.get("link")).toMatch(NEXT);
      }
      using conversation = await Conversation.open(service.address);
      conversation.send(
        request("POST /v1/pets HTTP/1.1", `Host: evil.example\r\n${JSON_TYPE}${LENGTH}`, BODY).replace(
          "KEY",
          service.key,
        ),
      );
      expect((await conversation.next())?.headers.get("location")).toMatch(/^\/v1\/pets\/[0-9]+$/);
    });
  });

  describe("a client that disconnects", () => {
    const whole = (bytes: string) => bytes.replaceAll("KEY", service.key);

    test(`after closing its sending side it gets ${readsAtOnce ? "the" : "no"} answer to a GET`, async () => {
      using conversation = await Conversation.open(service.address);
      conversation.send(whole(get()));
      conversation.end();
      expect((await conversation.next())?.status).toBe(readsAtOnce ? 200 : undefined);
      expect(await conversation.closed()).toBe("");
    });

    // Not as one would wish: an answer that has to wait for the disk finds the connection closed, and so does
    // one behind which the client has sent another request already. The animal may be stored all the same.
    const UNANSWERED = {
      "after closing its sending side": { bytes: post(LENGTH, BODY), end: true },
      "after sending another request behind it": { bytes: post(LENGTH, BODY) + get(), end: false },
    };
    for (const [what, { bytes, end }] of Object.entries(UNANSWERED)) {
      test(`${what} it gets no answer to a create`, async () => {
        const before = await stored();
        using conversation = await Conversation.open(service.address);
        conversation.send(whole(bytes));
        if (end) conversation.end();
        expect(await conversation.next()).toBeUndefined();
        // Where the runtime notices before the body is read that the client has gone, nothing is stored.
        for (let looks = 0; looks < 400 && (await stored()) === before; looks++) await Bun.sleep(5);
        expect([before, before + 1]).toContain(await stored());
      });
    }

    const UNFINISHED = {
      "nothing at all": "",
      "half a request line": "GET /v1/p",
      "half a head": `GET /v1/pets HTTP/1.1\r\n${HOST}X-Te`,
      "half a body": post(LENGTH, BODY.slice(0, 10)),
      "half a chunk": chunked(`1e\r\n${BODY.slice(0, 10)}`),
      "chunks without the last": chunked(`1e\r\n${BODY}\r\n`),
    };

    for (const [what, bytes] of Object.entries(UNFINISHED)) {
      test(`in the middle of ${what} has its connection closed, and stores nothing`, async () => {
        const before = await stored();
        using conversation = await Conversation.open(service.address);
        conversation.send(whole(bytes));
        conversation.end();
        expect(await conversation.closed()).toBe("");
        expect(await stored()).toBe(before);
      });

      test(`with a reset after ${what} does not affect other clients`, async () => {
        const before = await stored();
        const conversation = await Conversation.open(service.address);
        conversation.send(whole(bytes));
        await new Promise(setImmediate);
        conversation.reset();
        expect((await service.call("/livez")).status).toBe(200);
        expect(await stored()).toBe(before);
      });
    }
  });
});
