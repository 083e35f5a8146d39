import type { Check, Context } from "../check.ts";
import { Client } from "../client.ts";
import { beyondReach, declaredBy } from "../contract/coverage.ts";
import { creates, retries } from "../contract/creates.ts";
import { overTheLimit, trouble } from "../contract/faults.ts";
import { gets } from "../contract/gets.ts";
import { lists } from "../contract/lists.ts";
import { refusals } from "../contract/refusals.ts";
import { ContractSession, type Group, type OtherKeys } from "../contract/session.ts";
import { assert } from "../contract-violation.ts";
import { Instance, type Program, runCommand } from "../program.ts";
import type { TestStore } from "../testbed/testbed.ts";

/** The groups of requests that need nothing but a service, in their order. */
const GROUPS: readonly Group[] = [creates, retries, lists, gets, refusals];

/** About how many requests the check makes, for its progress. */
const REQUESTS = 330;
/** The lifetime of the key that must expire. */
const EXPIRY_MS = 1000;

export const contractCheck: Check = {
  name: "contract",
  promise:
    "Every operation returns every status that it declares, no other status, and the response that the contract requires.",
  unit: "requests",
  share: 6,
  async run(context) {
    const { program, testbed, progress } = context;
    const store = await testbed.fresh();
    await using instance = await Instance.start(program, store);
    const client = new Client(instance.base, instance.key);
    const others = await makeKeys(program, store);
    const expiry = Bun.sleep(EXPIRY_MS);
    let asked = 0;
    const session = new ContractSession({
      client,
      prefix: "",
      may: { read: true, write: true },
      others,
      onRequest: () => progress(Math.min(1, ++asked / REQUESTS), asked),
    });
    await fill(context, session);
    for (const group of GROUPS) {
      if (group === refusals) await expiry;
      await group.run(session);
    }
    await overTheLimit(program, store, session);
    await trouble(store, session);
    return await coverage(session);
  },
};

/** Adds more animals than a page of the default length has. */
async function fill({ signal }: Context, session: ContractSession): Promise<void> {
  for (let count = 0; count < 25 && !signal.aborted; count++) {
    const body = `{"name":"${count}","categoryId":${count}}`;
    await session.create(
      { path: "/pets", body },
      { name: `${count}`, categoryId: BigInt(count), status: "available" },
    );
  }
}

/** Creates keys that lack something, with the command line. */
async function makeKeys(program: Program, { url, folder }: TestStore): Promise<OtherKeys> {
  const bound = { ...program, environment: { ...program.environment, DATABASE_URL: url } };
  const make = async (...args: string[]) =>
    (await runCommand(bound, ["keys", "create", "--name", "verify", ...args], folder)).trim();
  const [reading, writing, expired] = await Promise.all([
    make("--scopes", "pets:read"),
    make("--scopes", "pets:write"),
    make("--expires", `${EXPIRY_MS / 1000}s`),
  ]);
  const revoked = await make();
  const keys = JSON.parse(await runCommand(bound, ["keys", "list", "--json"], folder)) as { id: number }[];
  await runCommand(bound, ["keys", "revoke", `${keys.at(-1)?.id}`], folder);
  return { reading, writing, revoked, expired };
}

/** Compares the answers seen with those declared: the two sets must be equal. */
async function coverage({ client, exercised, requests }: ContractSession) {
  const declared = await declaredBy(client);
  const request = client.curl({ path: "/openapi.json", root: true, key: null });
  assert(declared !== undefined, "the OpenAPI document", "none", request);
  const undeclared = [...exercised].filter((pair) => !declared.has(pair));
  assert(
    undeclared.length === 0,
    "only responses that the document declares",
    undeclared.join(", "),
    request,
  );
  const unseen = [...declared].filter((pair) => !exercised.has(pair));
  const missed = unseen.filter((pair) => beyondReach(pair, Date.now()) === undefined);
  assert(
    missed.length === 0,
    "every response that the document declares",
    `never ${missed.join(", ")}`,
    request,
  );
  const limits = new Set(unseen.map((pair) => beyondReach(pair, Date.now())));
  return {
    verdict: "passed" as const,
    details: [
      `${requests} requests; ${exercised.size} of the ${declared.size} declared responses seen` +
        (limits.size > 0 ? ` (${[...limits].join("; ")})` : ""),
    ],
    figures: { requests, declared: [...declared].sort(), exercised: [...exercised].sort() },
  };
}
