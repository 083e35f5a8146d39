import { type Access, firstAccess, lackOf } from "../../contract/access.ts";
import { show } from "../../contract/animal.ts";
import { Client } from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import { beyondReach, coverageOf } from "../../contract/coverage.ts";
import { GROUPS } from "../../contract/groups.ts";
import type { Scope } from "../../contract/operations.ts";
import { refusals } from "../../contract/refusal-cases.ts";
import { ContractSession, type OtherKeys, runCases } from "../../contract/session.ts";
import type { Check, Context } from "../check.ts";
import { Instance, type Program } from "../program.ts";
import { StoreCommands } from "../store-commands.ts";
import type { TestStore } from "../testbed/testbed.ts";
import { injectFaults, overTheLimit } from "./injected-faults.ts";

/** About how many requests the check makes, for its progress. */
const REQUESTS = 900;
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
    const access = await firstAccess(client);
    const others = await makeKeys(program, store, access);
    const expiry = Bun.sleep(EXPIRY_MS);
    let asked = 0;
    const session = new ContractSession({
      client,
      prefix: "",
      access,
      others,
      onRequest: () => progress(Math.min(1, ++asked / REQUESTS), asked),
    });
    await fill(context, session);
    const skipped = new Set<string>();
    for (const group of GROUPS) {
      const lack = lackOf(access, group.needs);
      if (lack !== undefined) skipped.add(lack);
      if (group === refusals) await expiry;
      if (lack === undefined) await runCases(group, session);
    }
    await overTheLimit(program, store, session);
    await injectFaults(store, session);
    const finding = await judgeCoverage(session);
    return { ...finding, details: [...finding.details, ...[...skipped].map((why) => `skipped: ${why}`)] };
  },
};

/** Adds more animals than a page of the default length has. */
async function fill({ signal }: Context, session: ContractSession): Promise<void> {
  for (let count = 0; count < 25 && !signal.aborted; count++) {
    const content = { name: `${count}`, categoryId: BigInt(count), status: "available" } as const;
    await session.create({ body: show(content) }, content);
  }
}

/** Creates keys that lack something, with the command line. */
async function makeKeys(program: Program, store: TestStore, { offered }: Access): Promise<OtherKeys> {
  const commands = new StoreCommands(program, store);
  const makeWithout = async (scope: Scope): Promise<[Scope, string]> => {
    const others = [...offered].filter((each) => each !== scope);
    return [scope, await commands.createKey("verify", "--scopes", others.join(","))];
  };
  const [expired, ...without] = await Promise.all([
    commands.createKey("verify", "--expires", `${EXPIRY_MS / 1000}s`),
    ...[...offered].map(makeWithout),
  ]);
  const revoked = await commands.createKey("verify");
  await commands.revokeLastKey();
  return { without: Object.fromEntries(without), revoked, expired };
}

/** The responses seen and the responses declared must be the same. */
async function judgeCoverage(session: ContractSession) {
  const { client, requests } = session;
  const request = client.curl({ path: "/openapi.json", root: true, key: null });
  const coverage = await coverageOf(session);
  assert(coverage !== undefined, "the OpenAPI document", "none", request);
  const { declared, exercised, undeclared, unseen } = coverage;
  const missed = unseen.filter((pair) => beyondReach(pair, Date.now()) === undefined);
  const onlyDeclared = "only responses that the document declares";
  assert(undeclared.length === 0, onlyDeclared, undeclared.join(", "), request);
  const everyDeclared = "every response that the document declares";
  assert(missed.length === 0, everyDeclared, `never ${missed.join(", ")}`, request);
  const limits = new Set(unseen.map((pair) => beyondReach(pair, Date.now())));
  return {
    verdict: "passed" as const,
    details: [
      `${requests} requests; ${exercised.length} of the ${declared.length} declared responses seen` +
        (limits.size > 0 ? ` (${[...limits].join("; ")})` : ""),
    ],
    figures: { requests, declared, exercised },
  };
}
