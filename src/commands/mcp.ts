import { offerOf, Unusable } from "../../mcp/offer.ts";
import { serveLines } from "../../mcp/serve.ts";
import { Session } from "../../mcp/session.ts";
import { type ClientEnvironment, clientEnvironment } from "../config/client-environment.ts";
import { baseAddress, Invalid } from "../config/parsers.ts";
import { CommandFailure, wrongValue } from "../process/errors.ts";
import { writeAnswer } from "../process/standard-output.ts";
import { VERSION } from "../system/version.ts";

/** `animal-store mcp`: serves an agent on standard input and output until the input ends. */
export async function serveMcp(options: Readonly<Record<string, unknown>>): Promise<void> {
  const { url, key } = readMcpOptions(options);
  const agent = `animal-store-mcp/${VERSION}`;
  const readOnly = options.readOnly === true;
  const offer = await offerOf({ baseUrl: url, apiKey: key, readOnly, agent }).catch((error) => {
    throw error instanceof Unusable ? new CommandFailure(`${error.message}.`, 1, { cause: error }) : error;
  });
  await serveLines(Bun.stdin.stream(), writeAnswer, new Session(offer, VERSION), key);
}

/** @throws CommandFailure that names what is missing or wrong */
export function readMcpOptions(
  options: Readonly<Record<string, unknown>>,
  { API_KEY: key, ANIMAL_STORE_URL }: ClientEnvironment = clientEnvironment(),
): { readonly url: string; readonly key: string } {
  if (key === undefined)
    throw new CommandFailure("API_KEY is not set; it must be an API key of the service.", 2);
  const [given, source] =
    options.url === undefined ? [ANIMAL_STORE_URL, "ANIMAL_STORE_URL"] : [options.url as string, "--url"];
  if (given === undefined)
    throw new CommandFailure(
      "the service is missing; name its base address with --url, or set ANIMAL_STORE_URL.",
      2,
    );
  const url = baseAddress(given);
  if (url instanceof Invalid) throw wrongValue(source, given, url.rule.replace(/^must /, ""));
  return { url, key };
}
