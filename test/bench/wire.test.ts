import { describe, expect, test } from "bun:test";
import { type Call, callsFile, readCallsFile, wireForm } from "../../bench/call.ts";
import { AnswerReader } from "../../bench/load/answer-reader.ts";

const ADDRESS = "http://127.0.0.1:8080";
const GET: Call = { method: "GET", path: "/v1/pets", headers: { authorization: "Bearer x" } };
const POST: Call = { method: "POST", path: "/v1/pets", headers: {}, body: '{"name":"Лайка"}' };

test("a body is announced in bytes, not in characters", () => {
  expect(wireForm(ADDRESS, POST).toString()).toBe(
    'POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 21\r\n\r\n{"name":"Лайка"}',
  );
});

test("calls are read from their file unchanged", () => {
  const calls = [GET, POST, GET];
  expect(readCallsFile(callsFile(ADDRESS, calls))).toEqual(calls.map((call) => wireForm(ADDRESS, call)));
});

describe("a response is complete at its last byte, wherever it is divided", () => {
  const answers = {
    "with a length": "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
    "without a body": "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n",
    "in chunks":
      "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0a\r\n0\r\n\r\n78901\r\n0\r\n\r\n",
  };
  for (const [name, text] of Object.entries(answers)) {
    const bytes = Buffer.from(text);
    const status = Number(text.slice(9, 12));
    test(name, () => {
      expect(new AnswerReader().read(bytes)).toBe(status);
      for (let cut = 1; cut < bytes.length; cut++) {
        const reader = new AnswerReader();
        expect(reader.read(bytes.subarray(0, cut))).toBeUndefined();
        expect(reader.read(bytes.subarray(cut))).toBe(status);
        // And it is ready for the next.
        expect(reader.read(bytes)).toBe(status);
      }
    });
  }

  test("more than was asked for is an error", () => {
    const twice = Buffer.from(answers["with a length"].repeat(2));
    expect(() => new AnswerReader().read(twice)).toThrow("more came");
  });
});
