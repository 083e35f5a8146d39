import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { runCommand } from "../support/run-command.ts";
import { buildWithProgram } from "./built-client.ts";
import { startFeed } from "./start-feed.ts";

/** What the journey sees, in every runtime. */
export const EXPECTED = [
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
];

const PROGRAM = `
import * as client from "./client/main.js";
import { journey } from "./journey.js";
console.log(JSON.stringify(await journey(client, JSON.parse(process.env.DESTINATION))));
`;

/**
 * Runs the journey in a process of its own.
 * @param runtime the command to which the program is added
 */
export async function runJourney(runtime: readonly string[]): Promise<unknown> {
  using folder = temporaryFolder();
  await buildWithProgram(folder.path, "journey.ts");
  const program = join(folder.path, "program.mjs");
  await Bun.write(program, PROGRAM);
  await using service = await startFeed();
  const destination = { baseUrl: `${service.address}/v1`, apiKey: service.key };
  const env = { NO_COLOR: "1", DESTINATION: JSON.stringify(destination) };
  const { stdout, stderr } = await runCommand([...runtime, program], { cwd: folder.path, env });
  if (stderr !== "") throw new Error(`${runtime[0]}: ${stderr}`);
  return JSON.parse(stdout);
}
