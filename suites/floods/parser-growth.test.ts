import { describe, expect, test } from "bun:test";
import { linkTo } from "../../client/link.ts";
import { preferredFaults } from "../../sandbox/prefer.ts";
import { isApiKey, maskApiKeys } from "../../src/domain/api-key.ts";
import { isIdempotencyKey } from "../../src/domain/idempotency.ts";
import { JsonError, readJson } from "../../src/domain/json-reader.ts";
import { quote } from "../../src/domain/quote.ts";
import type { IncomingAnimal } from "../../src/domain/transfer.ts";
import { animalChecker } from "../../src/formats/animal-checker.ts";
import { ANIMAL_LAYOUT } from "../../src/formats/animal-row.ts";
import { CsvReader } from "../../src/formats/csv-reader.ts";
import { UnreadableFile } from "../../src/formats/format.ts";
import { NdjsonReader } from "../../src/formats/ndjson-reader.ts";
import { type RecordReader, readRecords } from "../../src/formats/records.ts";
import { readBody, receiveBody } from "../../src/http/request/body.ts";
import { prefersEventStream } from "../../src/http/request/input.ts";
import { isAcceptableHost, parseQuery } from "../../src/http/request/target.ts";
import { asksToClose } from "../../src/http/response/common-headers.ts";
import { chooseCoding } from "../../src/http/response/content-coding.ts";
import { createPet } from "../../src/operations/create-pet.ts";
import { matchesTag, strongTags } from "../../src/operations/entity-tag.ts";

/** The length of the shorter of two inputs, and how many times longer the other one is. */
const SHORT = 8 * 1024;
const LONGER = 16;
/** A cost in proportion to the length grows 16 times here, and a quadratic one 256 times. */
const GROWTH_MAX = 48;
/** A parser runs for this long, several times, and the least cost counts: the runtime compiles and collects garbage, too. */
const RUN_MICROSECONDS = 3000;
const RUNS = 7;

/** Inputs of a length that make a careless parser look back, or ahead, again and again. */
const repeated =
  (text: string, before = "", after = "") =>
  (length: number) =>
    before + text.repeat(Math.ceil(length / text.length)) + after;

/** An object of many members. */
const members =
  (last = "") =>
  (length: number) =>
    `{${Array.from({ length: length / 8 }, (_, at) => `"${at}":1`).join()}${last}}`;

const TAG = `"${"x".repeat(22)}"`;
const json = (text: string) => {
  try {
    readJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
};

const createBody = (text: string) => readBody(Buffer.from(text), createPet.body as never);

const contentType = (type: string) => {
  const request = new Request("http://localhost/", { method: "POST", headers: { "content-type": type } });
  return receiveBody(request, createPet.body as never);
};

type Case = readonly [name: string, parse: (text: string) => unknown, input: (length: number) => string];

const HEADERS: readonly Case[] = [
  ["Accept of many ranges", prefersEventStream, repeated("text/event-stream;q=0.5,")],
  ["Accept of spaces", prefersEventStream, repeated(" ", "text/event-stream;", "x")],
  ["Accept-Encoding of many codings", (text) => chooseCoding(text, true), repeated("gzip;q=0.1,")],
  ["Accept-Encoding of spaces", (text) => chooseCoding(text, true), repeated(" ", "a", "x")],
  ["Connection of commas", asksToClose, repeated(", ")],
  ["Connection of spaces", asksToClose, repeated(" ", ",close", "x")],
  ["Content-Type of parameters", contentType, repeated(";a=b", "application/json", "=")],
  ["Content-Type of spaces", contentType, repeated("; ", "application/json", "=")],
  ["Content-Type of an open quote", contentType, repeated('\\"', 'application/json;a="')],
  ["Host of letters and a bad one", isAcceptableHost, repeated("a", "", "/")],
  ["Host of escapes", isAcceptableHost, repeated("%41", "", "%4")],
  ["Host of digits in brackets", isAcceptableHost, repeated("1:", "[", "]")],
  ["Idempotency-Key", isIdempotencyKey, repeated(",")],
  ["If-None-Match of many tags", (text) => matchesTag(text, TAG), repeated('"a", ')],
  ["If-None-Match of commas and spaces", (text) => matchesTag(text, TAG), repeated(", ", '"a"', "x")],
  ["If-None-Match of spaces", (text) => matchesTag(text, TAG), repeated(" ", '"a"', "x")],
  ["If-None-Match without a closing quote", (text) => matchesTag(text, TAG), repeated('"a",', "", '"')],
  ["If-Match of many tags", strongTags, repeated('W/"a",')],
  ["If-Match of empty elements", strongTags, repeated(" ,", "", "x")],
  ["Prefer of quotes", preferredFaults, repeated('"')],
  ["Prefer of an open quote", preferredFaults, repeated('\\"', 'fault=429; a="')],
  ["Prefer of parameters", preferredFaults, repeated("; ", "fault=429")],
  ["API key of letters", isApiKey, repeated("a", "as_live_")],
  ["the mask of escapes", maskApiKeys, repeated("25", "%")],
  ["the mask of the beginnings of keys", maskApiKeys, repeated("%61s_liv")],
  ["a quoted text of control characters", quote, repeated("\u0001")],
  ["Link of angle brackets", (text) => linkTo("next", text), repeated("<")],
  ["Link of parameters", (text) => linkTo("next", text), repeated(";rel", "<a>")],
  ["Link of open quotes", (text) => linkTo("next", text), repeated('\\";a=', '<a>;b="')],
];

const TARGETS: readonly Case[] = [
  ["many parameters", parseQuery, repeated("a=1&")],
  ["many names", parseQuery, (length) => Array.from({ length: length / 8 }, (_, at) => `${at}=`).join("&")],
  ["escapes", parseQuery, repeated("%41", "a=")],
  ["an incomplete escape at the end", parseQuery, repeated("%41", "a=", "%")],
];

const BODIES: readonly Case[] = [
  ["brackets", json, repeated("[")],
  ["arrays beside each other", json, repeated("[],", "[", "1]")],
  ["many members", json, members()],
  ["a name twice at the end", json, members(',"0":1')],
  ["a long number", json, repeated("9")],
  ["a long fraction", json, repeated("0", "1.", "1")],
  ["a long exponent", json, repeated("9", "1e")],
  ["a string of escapes", json, repeated("\\u0041", '"', '"')],
  ["a string that is not closed", json, repeated('\\"', '"')],
  ["white space", json, repeated(" ", "[1", "]")],
  ["unknown members", createBody, members()],
  ["a long name", createBody, repeated("\u0000", '{"name":"', '","categoryId":1}')],
];

for (const [what, cases] of Object.entries({ HEADERS, TARGETS, BODIES })) {
  describe(`${what.toLowerCase()} cost in proportion to their length`, () => {
    test.each([...cases])("%s", (_, parse, input) => {
      const [short, long] = [input(SHORT), input(LONGER * SHORT)];
      const costs = [short, long].map(() => Number.POSITIVE_INFINITY);
      // Alternately: what else the machine does changes from one moment to the next.
      for (let run = 0; run < RUNS; run++) {
        for (const [at, text] of [short, long].entries())
          costs[at] = Math.min(
            costs[at] as number,
            costOf(() => parse(text)),
          );
      }
      const growth = (costs[1] as number) / (costs[0] as number);
      expect(growth).toBeLessThan(GROWTH_MAX);
    });
  });
}

/** Microseconds of CPU time of one call, from many in a row. */
function costOf(call: () => unknown): number {
  const began = cpuMicroseconds();
  let calls = 0;
  let used = 0;
  do {
    call();
    calls++;
    used = cpuMicroseconds() - began;
  } while (used < RUN_MICROSECONDS);
  return used / calls;
}

/** Other programs, which share the machine, do not count. */
function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes of the shorter file, and of the pieces in which both arrive, as from a slow pipe. */
const SHORT_FILE = 64 * 1024;
const PIECE = 64;

const csv = () => new CsvReader(ANIMAL_LAYOUT.columns, animalChecker("keep"));
const ndjson = () => new NdjsonReader(ANIMAL_LAYOUT.columns, animalChecker("keep"));

const FILES: readonly (readonly [
  name: string,
  reader: () => RecordReader<IncomingAnimal>,
  file: (length: number) => string,
])[] = [
  ["CSV with one long line", csv, repeated("x", "name,categoryId\n")],
  ["CSV with one long line and no other", csv, repeated("x")],
  ["CSV with a quote that is never closed", csv, repeated("x\n", 'name,categoryId\n"')],
  ["CSV with quotes at the wrong places", csv, repeated('a"\n', "name,categoryId\n")],
  ["CSV with doubled quotes", csv, repeated('""', 'name,categoryId\n"')],
  ["NDJSON with one long line", ndjson, repeated("[")],
  ["NDJSON with a long name", ndjson, repeated("x", '{"name":"', '","categoryId":1}')],
  ["NDJSON with empty lines", ndjson, repeated("\n")],
];

describe("reading a file costs in proportion to its length", () => {
  test.each([...FILES])("%s", async (_, reader, file) => {
    const cost = async (text: string) => {
      const began = cpuMicroseconds();
      await readAll(text, reader());
      return cpuMicroseconds() - began;
    };
    const [short, long] = [file(SHORT_FILE), file(LONGER * SHORT_FILE)];
    const costs = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
    for (let run = 0; run < RUNS / 2; run++) {
      costs.short = Math.min(costs.short, await cost(short));
      costs.long = Math.min(costs.long, await cost(long));
    }
    expect(costs.long / costs.short).toBeLessThan(GROWTH_MAX);
  });
});

async function readAll(text: string, reader: RecordReader<IncomingAnimal>): Promise<void> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
  }
  try {
    for await (const _ of readRecords(pieces(), reader));
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
  }
}
