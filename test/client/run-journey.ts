import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { runCommand } from "../support/run-command.ts";
import { startSandbox } from "../support/sandbox.ts";
import { buildWithProgram } from "./built-client.ts";
import type { Destination } from "./journey.ts";
import { startFeed } from "./start-feed.ts";

/** What every runtime does with the client, and sees. */
export interface Journey {
  /** The file of its function `journey`, without its ending. */
  readonly program: string;
  readonly start: () => Promise<AsyncDisposable & { readonly address: string; readonly key: string }>;
  readonly expected: readonly string[];
}

/** All that a service offers, on a store that is empty at first. */
const ORDINARY: Journey = {
  program: "journey",
  start: startFeed,
  expected: [
    'created 1 9223372036854775807 n "9007199254740993" 9223372036854775807 available',
    'created 2 -9223372036854775808 n "9007199254740993" -9223372036854775808 available',
    'created 3 9007199254740993 n "9007199254740993" 9007199254740993 available',
    'created 4 0 n "9007199254740993" 0 available',
    "twice true bigint",
    "listed 1 9223372036854775807",
    "listed 2 -9223372036854775808",
    "listed 3 9007199254740993",
    "listed 4 0",
    "listed 5 1",
    "pages 1 1 200,304",
    "getPet /v1/pets",
    "got Rex Rex",
    "refused AnimalNotFoundError animal_not_found 404 string",
    "refused InvalidBodyError invalid_body 400 string",
    "refused IdempotencyKeyReusedError idempotency_key_reused 422 string",
    "refused UnauthorizedError unauthorized 401 string",
    "ordered 1 6 placed cancelled cancelled",
    "order 1 bigint",
    "refused AnimalNotAvailableError animal_not_available 409 string",
    "refused InvalidTransitionError invalid_transition 409 string",
    "event animal.created 9223372036854775807",
    "event animal.created -9223372036854775808",
    "event animal.created 9007199254740993",
    "event animal.created 0",
    "event animal.created 1",
    "event animal.created 9223372036854775807",
    "event order.placed 6",
    "event animal.status_changed pending",
    "event order.status_changed cancelled",
    "event animal.status_changed available",
    "listed event order.placed bigint",
    "refused by Error: changed my mind",
  ],
};

/** What each fault of the journey makes of an attempt. */
const FAILURES = [
  ["429; retryAfterSeconds=1", "RateLimitedError 1000 ms"],
  ["503; retryAfterSeconds=1", "OverloadedError 1000 ms"],
  ["502", "UnexpectedResponseError"],
  ["reset", "ConnectionError"],
  ["lost", "ConnectionError"],
  ["cut", "ConnectionError"],
  ["lost, cut, lost", "ConnectionError ConnectionError ConnectionError"],
] as const;

/** Every fault of a sandbox. */
const UNDER_FAULTS: Journey = {
  program: "fault-journey",
  start: () => startSandbox(),
  expected: [
    ...FAILURES.flatMap(([faults, failures]) => [
      `list ${faults} -> 5 ${failures}`,
      `create ${faults} -> 9223372036854775807 keys 1 ${failures}`,
      `place ${faults} -> true keys 1 ${failures}`,
      `update ${faults} -> approved ${failures}`,
      `follow ${faults} -> true ${failures}`,
    ]),
    "refused 500 -> InternalError attempts 1",
    "refused 429; retryAfterSeconds=31 -> RateLimitedError attempts 1",
    "refused 429 -> RateLimitedError attempts 1",
    "refused 503, 503 -> OverloadedError attempts 2 OverloadedError 1000 ms",
    "refused lost, lost -> ConnectionError attempts 2 ConnectionError",
    "late ConnectionError keys 1 animals 1 true",
    "slow ConnectionError 20",
    "animals 0 too many",
    "orders 0 too many",
  ],
};

export const JOURNEYS: readonly Journey[] = [ORDINARY, UNDER_FAULTS];

/**
 * Runs a journey in a process of its own.
 * @param runtime the command to which the program is added
 */
export async function runJourney(runtime: readonly string[], { program, start }: Journey): Promise<unknown> {
  using folder = temporaryFolder();
  await buildWithProgram(folder.path, `${program}.ts`);
  const main = join(folder.path, "program.mjs");
  await Bun.write(main, mainOf(program));
  await using service = await start();
  const env = { NO_COLOR: "1", DESTINATION: JSON.stringify(destinationOf(service)) };
  const { stdout, stderr } = await runCommand([...runtime, main], { cwd: folder.path, env });
  if (stderr !== "") throw new Error(`${runtime[0]}: ${stderr}`);
  return JSON.parse(stdout);
}

export function destinationOf({
  address,
  key,
}: {
  readonly address: string;
  readonly key: string;
}): Destination {
  return { baseUrl: `${address}/v1`, apiKey: key };
}

function mainOf(program: string): string {
  return `
import * as client from "./client/main.js";
import { journey } from "./${program}.js";
console.log(JSON.stringify(await journey(client, JSON.parse(process.env.DESTINATION))));
`;
}
