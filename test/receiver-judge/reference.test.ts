import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { judgeReceiver } from "../../receiver-judge/judge-receiver.ts";
import { Mint } from "../../receiver-judge/mint.ts";
import { post } from "../../receiver-judge/post.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { Target } from "../../relay/target.ts";
import { Random } from "../../verify/random.ts";
import { SECRET } from "../relay/receiver.ts";

const TIMEOUT_MS = 5_000;

/** A receiver that checks with the library of Standard Webhooks, by other authors than the judge's. */
function startReferenceReceiver() {
  const webhook = new Webhook(SECRET);
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      try {
        webhook.verify(await request.text(), Object.fromEntries(request.headers));
        return new Response(null, { status: 204 });
      } catch {
        return new Response(null, { status: 400 });
      }
    },
  });
}

test("a receiver with the library of Standard Webhooks keeps to every rule that responses show", async () => {
  await using receiver = startReferenceReceiver();
  const target = new Target({ url: receiver.url, allowPrivate: true, timeoutMs: TIMEOUT_MS });
  const { judgement } = await judgeReceiver({
    post: (delivery) => post(target, TIMEOUT_MS, delivery),
    mint: new Mint({
      secrets: readSecrets(SECRET) as Secret[],
      retired: undefined,
      chance: new Random(1, 0),
      agent: "judge",
    }),
    witness: undefined,
    skipped: new Set(["two-secrets", "retired-secret"]),
    patienceMs: TIMEOUT_MS,
  });
  const { findings } = judgement;
  expect(findings.flatMap(({ evidence }) => evidence)).toEqual([]);
  const passed = findings.filter(({ verdict }) => verdict === "passed");
  expect(passed.length).toBe(17);
});
