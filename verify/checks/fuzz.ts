import { assert, BrokenPromise, Inconclusive } from "../../contract/contract-violation.ts";
import { type Check, type Context, Deadline } from "../check.ts";
import { fuzz, HANGS } from "../fuzz/fuzzer.ts";
import { Instance } from "../program.ts";
import { StoreCommands } from "../store-commands.ts";

const CONNECTIONS = 16;
/** After this many requests the next round starts on an empty store, so that the model's memory stays bounded. */
const REQUESTS_MAX = 200_000;
/** Fewer requests would not include every kind, so a slow machine takes longer than its budget. */
const REQUESTS_MIN = 1000;
const SHOWN_MAX = 1500;

export const fuzzCheck: Check = {
  name: "fuzz",
  promise:
    "Malformed bytes, HTTP and JSON are refused as the contract says: no 5xx, no hang, no error in the log, and the " +
    "service works as before afterwards.",
  unit: "requests",
  share: 12,
  async run(context) {
    const deadline = new Deadline(context.budgetMs, context.signal);
    const kinds = new Map<string, Map<string, number>>();
    for (let round = 0; round === 0 || !deadline.isOver; round++) {
      for (const [kind, outcomes] of await fuzzRound(context, deadline, round, sum(kinds))) {
        const known = kinds.get(kind) ?? new Map<string, number>();
        for (const [outcome, count] of outcomes) known.set(outcome, (known.get(outcome) ?? 0) + count);
        kinds.set(kind, known);
      }
    }
    const requests = sum(kinds);
    return {
      verdict: "passed",
      details: [
        `${requests.toLocaleString("en")} malformed requests of ${kinds.size} kinds, each answered as the contract requires`,
      ],
      figures: {
        requests,
        kinds: Object.fromEntries([...kinds].map(([kind, outcomes]) => [kind, Object.fromEntries(outcomes)])),
      },
    };
  },
};

type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

function sum(kinds: Counts): number {
  return [...kinds.values()]
    .flatMap((outcomes) => [...outcomes.values()])
    .reduce((total, count) => total + count, 0);
}

/** Sends malformed requests to a service with an empty store; returns how many of each kind had which outcome. */
async function fuzzRound(
  context: Context,
  deadline: Deadline,
  round: number,
  before: number,
): Promise<Counts> {
  const { program, testbed, seed, signal, progress } = context;
  const store = await testbed.fresh();
  await using instance = await Instance.start(program, store);
  const reading = await new StoreCommands(program, store).createKey("reading", "--scopes", "pets:read");
  const keys = { full: instance.key, reading };
  let requests = before;
  const { failure, counts } = await fuzz({
    address: instance.address,
    pid: instance.pid,
    keys,
    requests: REQUESTS_MAX,
    seed: seed + round,
    connections: CONNECTIONS,
    enough: () => {
      progress(deadline.part, requests++);
      return signal.aborted || (deadline.isOver && requests >= REQUESTS_MIN);
    },
  });
  signal.throwIfAborted();
  if (failure) {
    const { kind, why, sent, actual } = failure;
    if (actual?.status === 503) throw Inconclusive.of503(actual.bytes);
    if (why === HANGS) throw Inconclusive.ofSilence(`no response came in time (${kind})`);
    throw new BrokenPromise({
      expected: `a response that the contract allows (${kind})`,
      actual: `${why}${actual ? `; ${actual.status}: ${actual.bytes.toString("latin1").slice(0, 300)}` : ""}`,
      request: withoutKeys(showBytes(sent), keys),
    });
  }
  assert(instance.complaint === undefined, "no error in its log", `${instance.complaint}`);
  await instance.stop();
  await store.discard();
  return counts;
}

function showBytes(sent: Buffer): string {
  const text = JSON.stringify(sent.toString("latin1"));
  return text.length > SHOWN_MAX
    ? `these bytes, as Latin-1, and ${sent.length} in all: ${text.slice(0, SHOWN_MAX)}…`
    : `these bytes, as Latin-1: ${text}`;
}

function withoutKeys(text: string, keys: Readonly<Record<string, string>>): string {
  return Object.entries(keys).reduce(
    (shown, [name, key]) => shown.replaceAll(key, `$${name.toUpperCase()}_KEY`),
    text,
  );
}
