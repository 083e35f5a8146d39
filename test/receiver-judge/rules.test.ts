import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Finding } from "../../judge/judgement.ts";
import type { Delivery, Sent } from "../../receiver-judge/delivery.ts";
import { judgeReceiver } from "../../receiver-judge/judge-receiver.ts";
import { Mint } from "../../receiver-judge/mint.ts";
import { post } from "../../receiver-judge/post.ts";
import { Probe } from "../../receiver-judge/probe.ts";
import { RECEIVER_RULES } from "../../receiver-judge/rules.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { Target } from "../../relay/target.ts";
import { Random } from "../../verify/random.ts";
import { type Habit, OTHER, OWN, RETIRED, startHabitualReceiver } from "./habitual-receiver.ts";
import { REFUSALS } from "./refusals.ts";

/** How long the judge waits for a response, and for work that was accepted. */
const TIMEOUT_MS = 500;
/** It takes a second, for its slow body: only receivers that it is about are judged by it. */
const SLOW_RULE = "survives-broken-bodies";

function mintOf(seed: number): Mint {
  return new Mint({
    secrets: readSecrets(`${OWN} ${OTHER}`) as Secret[],
    retired: (readSecrets(RETIRED) as Secret[])[0],
    chance: new Random(seed, 0),
    agent: "judge",
  });
}

async function judged(habits: readonly Habit[], seed = 1, patienceMs = TIMEOUT_MS) {
  using receiver = startHabitualReceiver(...habits);
  const target = new Target({ url: new URL(receiver.url), allowPrivate: true, timeoutMs: TIMEOUT_MS });
  const { judgement, sent } = await judgeReceiver({
    post: (delivery) => post(target, TIMEOUT_MS, delivery),
    mint: mintOf(seed),
    witness: habits.includes("shows nothing") ? undefined : new Probe(new URL(receiver.probe)),
    skipped: new Set(
      habits.includes("is lost after what is no JSON") || habits.length === 0 ? [] : [SLOW_RULE],
    ),
    patienceMs,
  });
  const of = (verdict: string) =>
    judgement.findings.filter((finding) => finding.verdict === verdict).map(({ rule }) => rule.id);
  return { failed: of("failed"), passed: of("passed"), untested: of("untested"), ...judgement, sent };
}

describe("a good receiver keeps to every rule", () => {
  test.each<[Habit[]]>([
    [[]],
    [["works later"]],
    [["works longer after a forgery"]],
    [["keeps the highest id"]],
  ])("%p", async (habits) => {
    const { failed, untested, score, findings } = await judged(habits);
    expect(findings.flatMap(({ evidence }) => evidence)).toEqual([]);
    expect({ failed, untested, score }).toEqual({ failed: [], untested: [], score: 100 });
  });
});

/** The rules that a habit breaks, as a person sees it. */
const BREAKS: readonly (readonly [habit: Habit, broken: readonly string[]])[] = [
  ["compares the beginning", ["refuses-forgeries"]],
  ["ignores case", ["refuses-forgeries"]],
  ["signs what it writes again", ["refuses-changed-bodies", "raw-bodies", "exact-integers"]],
  ["checks no age", ["refuses-old", "refuses-future", "refuses-garbage"]],
  ["checks that it is not old", ["refuses-future"]],
  ["takes what is no number for now", ["refuses-garbage"]],
  ["takes deliveries without a signature", ["refuses-missing-headers"]],
  ["takes any version", ["refuses-other-versions"]],
  ["looks at the first signature", ["several-signatures"]],
  ["knows one secret", ["two-secrets"]],
  ["knows the retired secret", ["retired-secret"]],
  ["throws at what is wrong", REFUSALS],
  ["wants no more of what is wrong", REFUSALS],
  ["refuses repetitions", ["accepts-repetitions"]],
  ["acts twice", ["acts-once"]],
  ["acts never", ["acts-on-accepted"]],
  ["acts before it checks", ["acts-on-nothing-refused"]],
  ["notes the id before it checks", ["forgeries-block-nothing"]],
  ["rounds", ["exact-integers"]],
  ["lets the last event win", ["keeps-order"]],
  ["refuses unknown types", ["unknown-types"]],
  ["refuses unknown members", ["unknown-members"]],
  ["works before it responds", ["in-time"]],
  ["is lost after what is no JSON", ["survives-broken-bodies"]],
];

describe("what a receiver does wrong breaks these rules and no others:", () => {
  test.each(BREAKS)("it %s", async (habit, broken) => {
    const { findings } = await judged([habit]);
    const failed = findings.filter(({ verdict }) => verdict === "failed");
    const evidence = failed.flatMap((finding) =>
      finding.evidence.map((line) => `${finding.rule.id}: ${line}`),
    );
    // A receiver that is lost fails all that comes later, so the others depend on the order.
    const ids = failed
      .map(({ rule }) => rule.id)
      .filter((id) => habit !== "is lost after what is no JSON" || broken.includes(id));
    expect(ids.sort(), evidence.join("\n")).toEqual([...broken].sort());
  });
});

describe("a receiver that says the same to everything has shown nothing:", () => {
  test("it accepts everything", async () => {
    const { failed, passed, score } = await judged(["accepts everything"]);
    expect(failed).toEqual(expect.arrayContaining(REFUSALS));
    expect({ passed, score }).toEqual({ passed: [], score: 0 });
  });

  test("it refuses everything", async () => {
    const { failed, passed, score } = await judged(["refuses everything"]);
    expect(failed).toEqual(expect.arrayContaining(["accepts-genuine", "raw-bodies", "several-signatures"]));
    expect({ passed, score }).toEqual({ passed: [], score: 0 });
  });

  test("it redirects everything", async () => {
    const { failed, passed, score } = await judged(["redirects"]);
    expect(failed).toEqual(expect.arrayContaining(["accepts-genuine", "refuses-forgeries", "no-redirects"]));
    expect({ passed, score }).toEqual({ passed: [], score: 0 });
  });

  test("it decides by luck, which is worth what the decision says", async () => {
    const scores: number[] = [];
    for (let seed = 1; seed <= 200; seed++) {
      const luck = new Random(seed, 1);
      const { judgement } = await judgeReceiver({
        post: async () => ({ kind: "response", status: luck.below(2) === 0 ? 200 : 400 }),
        mint: mintOf(seed),
        witness: undefined,
        skipped: new Set(),
        patienceMs: TIMEOUT_MS,
      });
      scores.push(judgement.score as number);
    }
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    expect(Math.abs(mean - 12)).toBeLessThan(2);
    expect(Math.max(...scores)).toBeLessThanOrEqual(28);
  });

  test("it decides by chance", async () => {
    const { failed, score } = await judged(["refuses by chance"]);
    expect(failed).toEqual(expect.arrayContaining(["accepts-genuine", "refuses-forgeries"]));
    expect(score).toBeLessThan(50);
  });
});

test("a receiver that works longer on long ids is waited for", async () => {
  const { untested, score } = await judged(["works longer on long ids"], 1, 5_000);
  expect({ untested, score }).toEqual({ untested: [], score: 100 });
});

test("work that was not seen is said with the time that it had", async () => {
  const { findings } = await judged(["acts never"]);
  const { evidence } = findings.find(({ rule }) => rule.id === "acts-on-accepted") as Finding;
  expect(evidence[0]).toMatch(/, got 204, and it had not acted on evt_\S+ after 0\.5 s$/);
});

test("the reason why there is no receiver is that of a whole delivery", async () => {
  let lastWasCut = false;
  for (let seed = 1; !lastWasCut; seed++) {
    // As a receiver that never responds: how a cut body ends is a race.
    const post = async ({ arrives }: Delivery): Promise<Sent["response"]> => {
      lastWasCut = arrives === "cut";
      if (!lastWasCut) return { kind: "late" };
      return { kind: "none", reason: "the connection was closed in the middle of the body" };
    };
    const judging = judgeReceiver({
      post,
      mint: mintOf(seed),
      witness: undefined,
      skipped: new Set(),
      patienceMs: TIMEOUT_MS,
    });
    await expect(judging).rejects.toThrow(/^3 deliveries got no response: .* got no response in time$/);
  }
});

test("what a receiver does not show is untested, and never passed", async () => {
  const blind = await judged(["shows nothing"]);
  const shown = ["acts-once", "acts-on-accepted", "acts-on-nothing-refused", "forgeries-block-nothing"];
  expect(blind.untested).toEqual([...shown, "exact-integers", "keeps-order"]);
  expect(blind.score).toBeLessThan(100);
  const partly = await judged(["shows no animals"]);
  expect(partly.untested).toEqual(["exact-integers", "keeps-order"]);
});

test("a seed decides the order of right and wrong, and no id comes again", async () => {
  const order = async (seed: number) => (await judged(["shows nothing"], seed)).sent.map(({ what }) => what);
  expect(await order(7)).toEqual(await order(7));
  const [at, elsewhere] = (await Promise.all([order(7), order(8)])).map((whats) =>
    whats.indexOf("of yesterday"),
  );
  expect(Math.abs((at as number) - (elsewhere as number))).toBeGreaterThan(1);
  const ids = (await judged([], 7)).sent.map(({ delivery }) => delivery.id);
  const again = (await judged([], 7)).sent.map(({ delivery }) => delivery.id);
  expect(ids.filter((id) => again.includes(id))).toEqual([]);
});

test("each rule has a receiver that breaks it, and leads to a part of the guide", async () => {
  const broken = new Set(BREAKS.flatMap(([, rules]) => rules));
  const left = RECEIVER_RULES.map(({ id }) => id).filter((id) => !broken.has(id));
  expect(left).toEqual(["accepts-genuine", "no-redirects"]);
  for (const { id, page } of RECEIVER_RULES) {
    const [file = "", anchor = ""] = page.split("#");
    const text = await Bun.file(join(import.meta.dir, "../../docs", file)).text();
    expect(text).toContain(`| \`${id}\` |`);
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    expect([id, anchors.includes(anchor)]).toEqual([id, true]);
  }
});
