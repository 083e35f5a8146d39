import { type Check, Deadline } from "../check.ts";
import { Instance, runCommand } from "../program.ts";
import { fuzz } from "../rubbish/throw.ts";
import { Broke, hold } from "../wrong.ts";

const CONNECTIONS = 16;
const TOLD_MAX = 1500;

export const rubbishCheck: Check = {
  name: "rubbish",
  promise:
    "Rubbish on the wire, in HTTP or in JSON is refused as the contract says: no 5xx, no hang, no complaint in the " +
    "log, and the service is as right afterwards as before.",
  unit: "requests",
  share: 12,
  async run({ program, place, seed, budgetMs, signal, progress }) {
    const deadline = new Deadline(budgetMs, signal);
    const store = await place.fresh();
    await using instance = await Instance.start(program, store);
    const bound = { ...program, environment: { ...program.environment, DATABASE_URL: store.url } };
    const made = await runCommand(
      bound,
      ["keys", "create", "--name", "reading", "--scopes", "pets:read"],
      store.folder,
    );
    const keys = { full: instance.key, reading: made.trim() };
    let thrown = 0;
    const { failure, counts } = await fuzz({
      port: instance.port,
      pid: instance.pid,
      keys,
      requests: Number.POSITIVE_INFINITY,
      seed,
      connections: CONNECTIONS,
      // The runtime closes a connection rather than pipeline what waits for a database (README, limits).
      pipelining: place.kind === "sqlite",
      enough: () => {
        progress(deadline.part, ++thrown);
        return deadline.over;
      },
    });
    signal.throwIfAborted();
    if (failure) {
      const { kind, why, sent, came } = failure;
      throw new Broke({
        expected: `an answer as the contract has it (${kind})`,
        came: `${why}${came ? `; ${came.status}: ${came.body.toString("latin1").slice(0, 300)}` : ""}`,
        request: withoutKeys(tellBytes(sent), keys),
      });
    }
    hold(instance.complaint === undefined, "no complaint in its log", `${instance.complaint}`);
    const requests = [...counts.values()].flatMap((outcomes) => [...outcomes.values()]);
    const total = requests.reduce((sum, count) => sum + count, 0);
    return {
      verdict: "held",
      told: [
        `${total.toLocaleString("en")} requests of ${counts.size} kinds of rubbish, each answered as the contract has it`,
      ],
      figures: {
        requests: total,
        kinds: Object.fromEntries(
          [...counts].map(([kind, outcomes]) => [kind, Object.fromEntries(outcomes)]),
        ),
      },
    };
  },
};

function tellBytes(sent: Buffer): string {
  const text = JSON.stringify(sent.toString("latin1"));
  return text.length > TOLD_MAX
    ? `these bytes, as Latin-1, and ${sent.length} in all: ${text.slice(0, TOLD_MAX)}…`
    : `these bytes, as Latin-1: ${text}`;
}

function withoutKeys(text: string, keys: Readonly<Record<string, string>>): string {
  return Object.entries(keys).reduce(
    (told, [name, key]) => told.replaceAll(key, `$${name.toUpperCase()}_KEY`),
    text,
  );
}
