import { getKey } from "../client/contract.ts";
import { AnimalStoreError } from "../client/errors.ts";
import { PathNotFoundError } from "../client/errors-by-code.ts";
import { Transport } from "../client/transport.ts";
import { operationsOf } from "./document.ts";
import { operationTool } from "./operation-tool.ts";
import { Pages } from "./pages.ts";
import { type Resource, resourcesOf } from "./resources.ts";
import { sandboxTools } from "./sandbox-tools.ts";
import type { Tool } from "./tool.ts";

/** What an agent may use. */
export interface Offer {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Why a tool that there could be is not offered, by its name: the end of a sentence. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly pages: Pages;
}

interface OfferOptions {
  /** The base address of the service, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Whether only tools are offered that change nothing. */
  readonly readOnly: boolean;
  /** `User-Agent`. */
  readonly agent: string;
}

/** How long the service may take to say what there is, in milliseconds. */
const DEADLINE_MS = 10_000;

/** The service cannot be used: its message says why. */
export class Unusable extends Error {}

/**
 * Asks a service what there is, and what the key may do.
 * @throws Unusable if it does not say so
 */
export async function offerOf({ baseUrl, apiKey, readOnly, agent }: OfferOptions): Promise<Offer> {
  // A model reads in a tool's description that it is deprecated.
  const transport = new Transport({
    baseUrl,
    apiKey,
    headers: { "user-agent": agent },
    onDeprecation: () => {},
  });
  const pages = new Pages(baseUrl, agent);
  try {
    const scopes = await scopesOf(transport);
    const declared = operationsOf(await pages.json("/openapi.json"));
    const changed = new Set(
      declared
        .filter(({ parameters }) => parameters.some(({ name }) => name === "If-Match"))
        .map(({ path }) => path),
    );
    const tools = new Map<string, Tool>();
    const withheld = new Map<string, string>();
    const add = (tool: Tool, needs: readonly string[] = []) => {
      const { name } = tool.shown;
      const missing = needs.filter((scope) => scopes?.has(scope) === false);
      if (missing.length > 0) withheld.set(name, `needs a key with the scope ${missing.join(" and ")}`);
      else if (readOnly && !tool.onlyReads) withheld.set(name, "changes something, and --read-only is set");
      else tools.set(name, tool);
    };
    for (const operation of declared) {
      const isVersioned = operation.method === "GET" && changed.has(operation.path);
      add(operationTool(operation, transport, isVersioned), operation.scopes);
    }
    const own = await sandboxTools(pages, apiKey);
    for (const tool of own) add(tool);
    const resources = await resourcesOf(pages, own.length > 0);
    return { tools, withheld, resources: new Map(resources.map((each) => [each.uri, each])), pages };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Unusable(`${baseUrl} cannot be used: ${error.message}`, { cause: error });
  }
}

/** What the key may do; undefined where the service does not say, which offers `getKey` in beta. */
async function scopesOf(transport: Transport): Promise<ReadonlySet<string> | undefined> {
  try {
    const options = { deadlineMs: DEADLINE_MS };
    const { value } = await transport.call(getKey, transport.address.of(getKey), options);
    return new Set(value.scopes);
  } catch (error) {
    if (error instanceof PathNotFoundError) return undefined;
    throw error instanceof AnimalStoreError ? new Error(error.message, { cause: error }) : error;
  }
}
