import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServerSentEventParser } from "../../client/server-sent-events.ts";

/** What a stream says, cut into pieces at some places. */
function parsed(text: string, cuts: readonly number[] = []) {
  const parser = new ServerSentEventParser("");
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  const messages = places.flatMap((place, at) => [...parser.push(text.slice(places[at - 1] ?? 0, place))]);
  return { messages, lastId: parser.lastId };
}

const dataOf = (text: string) => parsed(text).messages;

test("a message is its data, and its id is where to resume", () => {
  const text = "id: 7\nevent: order.placed\ndata: {}\n\ndata: b\n\nid: 9\ndata:c\n\n";
  expect(parsed(text)).toEqual({ messages: ["{}", "b", "c"], lastId: "9" });
  const parser = new ServerSentEventParser("6");
  expect(parser.lastId).toBe("6");
  for (const data of parser.push(text)) expect(parser.lastId).toBe(data === "c" ? "9" : "7");
});

test("lines end as the standard says", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    expect(dataOf(["data: a", "data: b", "", ": heartbeat", "", "data:  c", "", ""].join(end))).toEqual([
      "a\nb",
      " c",
    ]);
  }
  expect(dataOf("data\n\ndata\ndata\n\ndata: x")).toEqual(["", "\n"]);
  expect(dataOf("data: a:b\nretry: 10\ndata : c\nnonsense\n\n")).toEqual(["a:b"]);
});

test("a message that is cut off is left out, and its id with it", () => {
  const whole = "id: 1\ndata: a\n\nid: 2\ndata: b\n\n";
  for (let length = 15; length < whole.length; length++) {
    expect(parsed(whole.slice(0, length))).toEqual({ messages: ["a"], lastId: "1" });
  }
});

test("an id without data moves the position, and an id with a NUL is ignored", () => {
  expect(parsed("id: 5\n\n")).toEqual({ messages: [], lastId: "5" });
  expect(parsed("id: 5\n\nid: 6\0\n\n").lastId).toBe("5");
});

test("the events are the same whatever the size of the pieces that arrive", () => {
  const line = fc.oneof(
    fc.constantFrom("", "", ":", ": beat", "data", "data:", "id", "id: 12", "event: x", "retry: 3"),
    fc.string().map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")))
    .map((lines) => lines.flat().join(""));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(500)), (text, cuts) => {
      expect(parsed(text, cuts)).toEqual(parsed(text));
    }),
  );
});

test("a message without an end is refused, in one line or in many", () => {
  const parser = new ServerSentEventParser("");
  expect(() => [...parser.push(`data: ${"x".repeat(100_001)}`)]).toThrow(RangeError);
  const other = new ServerSentEventParser("");
  expect(() => [...other.push("data\n".repeat(100_001))]).toThrow(RangeError);
});
