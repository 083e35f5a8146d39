import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { judge } from "../../judge/judge.ts";
import { toText } from "../../judge/report/text.ts";
import type { Run } from "../../judge/rule.ts";
import { RULES } from "../../judge/rules.ts";
import { runOf, type Sent } from "./journals.ts";

const CREATE = { method: "POST", operation: "createPet", body: '{"name":"Rex","categoryId":1}' };
const NEXT = { link: '</v1/pets?limit=2&cursor=a%2Bb>; rel="next"' };
const ETAG = { etag: '"1"' };
const SUNSET = { deprecation: "@1764892800", sunset: "Thu, 05 Dec 2030 00:00:00 GMT" };

/** What a command does by itself. */
const usually = (...sent: Sent[]) => [runOf(sent, { name: "undisturbed" })];
const THREE_GETS: readonly Sent[] = [{ elapsedMs: 0 }, { elapsedMs: 1 }, { elapsedMs: 2 }];

const keyed = (key: string): Sent => ({ ...CREATE, headers: { "idempotency-key": key } });

interface Case {
  /** What a client did, in words. */
  readonly does: string;
  readonly run: Run;
  /** The other runs of the judgement. */
  readonly others?: readonly Run[];
  readonly verdict: "passed" | "failed" | "untested";
  /** Part of the evidence of a failure. */
  readonly evidence?: string;
}

const CASES: Readonly<Record<string, readonly Case[]>> = {
  succeeds: [
    { does: "ends with 0", run: runOf([{}], { name: "undisturbed" }), verdict: "passed" },
    {
      does: "ends with 2",
      run: runOf([{}], { name: "undisturbed", exitCode: 2 }),
      verdict: "failed",
      evidence: "exit code 2",
    },
    {
      does: "never ends",
      run: runOf([{}], { name: "undisturbed", exitCode: null }),
      verdict: "failed",
      evidence: "too long",
    },
    {
      does: "ends with 1 where its requests are refused",
      run: runOf([{ fault: "403", status: 403 }], { name: "refusals", exitCode: 1 }),
      verdict: "untested",
    },
    { does: "sends nothing", run: runOf([], { name: "undisturbed" }), verdict: "untested" },
  ],
  "succeeds-with-faults": [
    { does: "ends with 0", run: runOf([{ fault: "503" }], { name: "outages" }), verdict: "passed" },
    {
      does: "ends with 1",
      run: runOf([{ fault: "503" }], { name: "outages", exitCode: 1 }),
      verdict: "failed",
      evidence: "exit code 1",
    },
    { does: "meets no fault", run: runOf([{}], { name: "outages", exitCode: 1 }), verdict: "untested" },
  ],
  "survives-breaks": [
    { does: "repeats a reset request", run: runOf([{ fault: "reset" }, {}]), verdict: "passed" },
    {
      does: "asks for something else after a reset",
      run: runOf([{ fault: "reset" }, { target: "/v1/pets?limit=1" }]),
      verdict: "failed",
      evidence: "#1 GET /v1/pets got no whole response, and never came again",
    },
    {
      does: "asks three times in parallel, and gives up",
      run: runOf([{ fault: "reset", elapsedMs: 0 }, { elapsedMs: 1 }, { elapsedMs: 2 }]),
      others: usually(...THREE_GETS),
      verdict: "failed",
    },
    {
      does: "asks three times in parallel, and once more",
      run: runOf([{ fault: "reset", elapsedMs: 0 }, { elapsedMs: 1 }, { elapsedMs: 2 }, { elapsedMs: 90 }]),
      others: usually(...THREE_GETS),
      verdict: "passed",
    },
    { does: "gives up after a lost response", run: runOf([{ fault: "lost" }]), verdict: "failed" },
    { does: "meets no break", run: runOf([{ fault: "503", status: 503 }, {}]), verdict: "untested" },
  ],
  "survives-outages": [
    { does: "repeats after a 503", run: runOf([{ status: 503 }, {}]), verdict: "passed" },
    { does: "gives up after a 429", run: runOf([{ status: 429 }]), verdict: "failed", evidence: "got 429" },
    { does: "meets no outage", run: runOf([{ fault: "reset" }, { status: 500 }]), verdict: "untested" },
  ],
  "heeds-retry-after": [
    {
      does: "waits long enough",
      run: runOf([{ status: 429, answer: { "retry-after": "1" } }, { elapsedMs: 1000 }]),
      verdict: "passed",
    },
    {
      does: "comes too early",
      run: runOf([{ status: 429, answer: { "retry-after": "2" } }, { elapsedMs: 1500 }]),
      verdict: "failed",
      evidence: "with Retry-After: 2, and #2 came after 1500 ms",
    },
    {
      does: "asks three times in parallel, and waits before it repeats the first",
      run: runOf([
        { status: 429, answer: { "retry-after": "2" }, elapsedMs: 0 },
        { elapsedMs: 1 },
        { elapsedMs: 2 },
        { elapsedMs: 2005 },
      ]),
      others: usually(...THREE_GETS),
      verdict: "passed",
    },
    {
      does: "never comes again",
      run: runOf([{ status: 429, answer: { "retry-after": "2" } }]),
      verdict: "untested",
    },
  ],
  "accepts-refusals": [
    { does: "goes on after a 403", run: runOf([{ fault: "403", status: 403 }]), verdict: "passed" },
    {
      does: "repeats after a 403",
      run: runOf([{ ...CREATE, fault: "403", status: 403 }, CREATE]),
      others: usually(CREATE),
      verdict: "failed",
      evidence: "#1 POST /v1/pets got 403, and #2 repeated it unchanged",
    },
    {
      does: "fetches the same in two tests anyway",
      run: runOf([{ fault: "403", status: 403 }, {}]),
      others: usually({}, {}),
      verdict: "passed",
    },
    {
      does: "fetches the same in two tests anyway, under another id, and repeats",
      run: runOf([
        { target: "/v1/pets/7", fault: "403", status: 403 },
        ...Array(2).fill({ target: "/v1/pets/7" }),
      ]),
      others: usually({ target: "/v1/pets/1234" }, { target: "/v1/pets/1234" }),
      verdict: "failed",
    },
    {
      does: "fetches what does not exist in two tests",
      run: runOf([{ status: 404 }, { status: 404 }]),
      verdict: "untested",
    },
    {
      does: "repeats one call after a 400",
      run: runOf([
        { ...keyed("a"), status: 400 },
        { ...keyed("a"), status: 400 },
      ]),
      verdict: "failed",
      evidence: "got 400, and #2 repeated it unchanged",
    },
    {
      does: "repeats a 401 with another key",
      run: runOf([{ fault: "401", status: 401 }, { headers: { authorization: "Bearer as_test_***" } }]),
      verdict: "passed",
    },
    { does: "is never refused", run: runOf([{ status: 429 }, {}]), verdict: "untested" },
  ],
  "keyed-creates": [
    { does: "sends a key", run: runOf([keyed("a")]), verdict: "passed" },
    {
      does: "repeats without a key",
      run: runOf([{ ...CREATE, fault: "lost" }, CREATE]),
      verdict: "failed",
      evidence: "the store may have it twice",
    },
    {
      does: "adds two equal animals anyway",
      run: runOf([{ ...CREATE, fault: "lost" }, CREATE]),
      others: usually(CREATE, CREATE),
      verdict: "untested",
    },
    { does: "sends no key, and repeats nothing", run: runOf([CREATE, CREATE]), verdict: "untested" },
  ],
  "same-key": [
    {
      does: "repeats the key",
      run: runOf([{ ...keyed("a"), fault: "lost" }, keyed("a")]),
      verdict: "passed",
    },
    {
      does: "makes another key",
      run: runOf([{ ...keyed("a"), fault: "lost" }, keyed("b")]),
      verdict: "failed",
      evidence: "with another Idempotency-Key",
    },
    {
      does: "adds an equal animal anyway, and gives up the first",
      run: runOf([{ ...keyed("a"), fault: "lost" }, keyed("b")]),
      others: usually(keyed("c"), keyed("d")),
      verdict: "untested",
    },
    {
      does: "adds an equal animal anyway, and makes another key for the first",
      run: runOf([{ ...keyed("a"), fault: "lost" }, keyed("b"), keyed("e")]),
      others: usually(keyed("c"), keyed("d")),
      verdict: "failed",
    },
    {
      does: "adds an equal animal after a success",
      run: runOf([keyed("a"), keyed("b")]),
      verdict: "untested",
    },
    {
      does: "adds another animal",
      run: runOf([
        { ...keyed("a"), fault: "lost" },
        { ...keyed("b"), body: "{}" },
      ]),
      verdict: "untested",
    },
  ],
  "fresh-keys": [
    { does: "makes a new key", run: runOf([keyed("a")]), others: usually(keyed("b")), verdict: "passed" },
    {
      does: "has one key in all runs",
      run: runOf([keyed("a")]),
      others: usually(keyed("a")),
      verdict: "failed",
      evidence: "#1 POST /v1/pets has the Idempotency-Key a of another run",
    },
    {
      does: "fixes a key in one test, and makes others",
      run: runOf([keyed("a"), keyed("b")]),
      others: usually(keyed("a"), keyed("c")),
      verdict: "passed",
    },
    { does: "sends no key", run: runOf([CREATE]), others: usually(CREATE), verdict: "untested" },
  ],
  "exact-integers": [
    {
      does: "sends what was placed",
      run: runOf([{ ...CREATE, body: '{"name":"9007199254740992","categoryId":9007199254740993}' }]),
      verdict: "passed",
    },
    ...["9007199254740992", "9.007199254740992e15", "9.007199254740992E+15"].map((number) => ({
      does: `sends ${number}`,
      run: runOf([{ ...CREATE, body: `{"name":"Rex","categoryId":${number}}` }]),
      verdict: "failed" as const,
      evidence: `sent ${number}, which is 9007199254740993 rounded`,
    })),
    {
      does: "sends a long integer that it never read",
      run: runOf([{ ...CREATE, body: '{"categoryId":9223372036854775807}' }]),
      verdict: "untested",
    },
    { does: "sends short integers", run: runOf([CREATE]), verdict: "untested" },
  ],
  "follows-links": [
    {
      does: "follows the link",
      run: runOf([{ answer: NEXT }, { target: "/v1/pets?cursor=a%2Bb&limit=2" }]),
      verdict: "passed",
    },
    {
      does: "counts pages",
      run: runOf([{ answer: NEXT }, { target: "/v1/pets?page=2" }]),
      verdict: "failed",
      evidence: "no response had linked to #2 GET /v1/pets?page=2",
    },
    {
      does: "tests what a cursor of its own leads to",
      run: runOf([{ answer: NEXT }, { target: "/v1/pets?cursor=nonsense", status: 400 }]),
      verdict: "untested",
    },
    { does: "reads one page", run: runOf([{ answer: NEXT }]), verdict: "untested" },
  ],
  "whole-lists": [
    {
      does: "reads to the end",
      run: runOf([{ answer: NEXT }, { target: "/v1/pets?limit=2&cursor=a%2Bb" }]),
      verdict: "passed",
    },
    {
      does: "reads one page",
      run: runOf([{ answer: NEXT }, { target: "/v1/pets?status=sold" }]),
      verdict: "failed",
      evidence: "no list of listPets came to its end",
    },
    { does: "reads a list of one page", run: runOf([{}]), verdict: "untested" },
  ],
  "uses-etag": [
    {
      does: "revalidates",
      run: runOf([{ answer: ETAG }, { headers: { "if-none-match": '"1"' }, status: 304 }]),
      verdict: "passed",
    },
    {
      does: "fetches again",
      run: runOf([{ answer: ETAG }, {}]),
      verdict: "failed",
      evidence: "without If-None-Match",
    },
    {
      does: "asks about a tag that it never got",
      run: runOf([{ answer: ETAG }, { headers: { "if-none-match": "banana" } }]),
      verdict: "failed",
      evidence: "sent If-None-Match: banana, which no response to it had",
    },
    {
      does: "asks about a tag of another list",
      run: runOf([{ answer: ETAG }, { target: "/v1/pets?limit=1", headers: { "if-none-match": '"1"' } }]),
      verdict: "failed",
    },
    {
      does: "fetches the same three times in parallel",
      run: runOf([{ answer: ETAG, elapsedMs: 5 }, { elapsedMs: 1 }, { elapsedMs: 2 }]),
      verdict: "untested",
    },
    {
      does: "fetches the same in parallel, which arrives one after the other",
      run: runOf([{ answer: ETAG, elapsedMs: 0 }, { elapsedMs: 2 }, { elapsedMs: 4 }]),
      verdict: "untested",
    },
    {
      does: "fetches again soon, after another call",
      run: runOf([{ answer: ETAG, elapsedMs: 0 }, { ...CREATE, elapsedMs: 2 }, { elapsedMs: 4 }]),
      verdict: "failed",
    },
    {
      does: "begins with nothing in its cache in another test",
      run: runOf([{ answer: ETAG }, { headers: { "if-none-match": 'W/"1"' }, status: 304 }, {}]),
      verdict: "passed",
    },
    { does: "repeats what got lost", run: runOf([{ answer: ETAG, fault: "lost" }, {}]), verdict: "untested" },
  ],
  "notices-deprecation": [
    {
      does: "warns",
      run: runOf([{ answer: SUNSET }], { output: "getPet is deprecated" }),
      verdict: "passed",
    },
    {
      does: "warns next to its runtime",
      run: runOf([{ answer: SUNSET }], { output: "(node:7) DeprecationWarning\ngetPet is deprecated" }),
      others: [runOf([{}], { name: "without deprecation", output: "(node:81) DeprecationWarning" })],
      verdict: "passed",
    },
    {
      does: "always says so",
      run: runOf([{ answer: SUNSET }], { output: "deprecated, 12 ms" }),
      others: [runOf([{}], { name: "without deprecation", output: "deprecated, 9 ms" })],
      verdict: "failed",
      evidence: "says the same where no response has them",
    },
    {
      does: "is silent",
      run: runOf([{ answer: SUNSET }]),
      verdict: "failed",
      evidence: "does not mention it",
    },
    { does: "calls nothing deprecated", run: runOf([{}]), verdict: "untested" },
  ],
  "key-in-header": [
    { does: "sends it in a header", run: runOf([{}]), verdict: "passed" },
    {
      does: "sends it in the address",
      run: runOf([{ target: "/v1/pets?api_key=as_test_***" }]),
      verdict: "failed",
      evidence: "has the key in its address",
    },
  ],
};

test("every rule has cases that it passes and fails", () => {
  expect(Object.keys(CASES)).toEqual(RULES.map(({ id }) => id));
  for (const cases of Object.values(CASES)) {
    const verdicts = new Set(cases.map(({ verdict }) => verdict));
    expect(verdicts).toContain("passed");
    expect(verdicts).toContain("failed");
  }
});

describe.each(Object.entries(CASES))("%s", (id, cases) => {
  test.each(cases)("a client that $does: $verdict", ({ run, others = [], verdict, evidence = "" }) => {
    const finding = judge([run, ...others]).findings.find(({ rule }) => rule.id === id);
    expect(finding?.verdict).toBe(verdict);
    expect(finding?.evidence.join("\n")).toContain(evidence);
    if (verdict === "failed") expect(finding?.evidence[0]).toStartWith(`${run.name}: `);
  });
});

test("the score is the share of all rules that passed; what was not tested has not", () => {
  expect(judge([runOf([])]).score).toBeNull();
  const { findings, score } = judge([runOf([{}], { name: "undisturbed" })], new Set(["accepts-refusals"]));
  const verdicts = findings.map(({ verdict }) => verdict);
  expect(verdicts.filter((verdict) => verdict === "passed").length).toBe(2);
  expect(verdicts.filter((verdict) => verdict === "skipped").length).toBe(1);
  expect(score).toBe(Math.floor(200 / (RULES.length - 1)));
});

test("the report for people says where a rule that failed leads", () => {
  const failing = [runOf([{ status: 429 }])];
  const text = toText("node client.mjs", ["outages: 1 request, stopped"], judge(failing));
  expect(text).toStartWith("node client.mjs\n  outages: 1 request, stopped\n");
  expect(text).toContain("got 429, and never came again\n            What to do: docs/guides/retries.md\n");
});

test("each rule leads to a page that exists", async () => {
  for (const { id, page } of RULES)
    expect([id, await Bun.file(join(import.meta.dir, "../../docs", page)).exists()]).toEqual([id, true]);
});
