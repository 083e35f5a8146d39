import { writeMessage } from "./json.ts";
import type { Line } from "./lines.ts";
import type { Offer } from "./offer.ts";
import { contentsOf } from "./resources.ts";
import {
  type Call,
  callOf,
  type Id,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  RpcError,
} from "./rpc.ts";

/** The revision whose requests each say what their client is, and need no handshake. */
const STATELESS = "2026-07-28";
/** The revisions that begin with a handshake, the latest first. 2025-03-26 is left out, since it asks for batches. */
const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18", "2024-11-05"] as const;
const VERSIONS: readonly string[] = [STATELESS, ...WITH_HANDSHAKE];

const META = "io.modelcontextprotocol/";
/** Error codes of the protocol in addition to those of JSON-RPC. */
const UNSUPPORTED_VERSION = -32022;
/** Until 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002;

/** What an agent should know before anything else. */
const INSTRUCTIONS =
  "The stock of an animal store, and its orders. Ids and categories are 64-bit integers: they are strings of digits here, in both " +
  "directions, since numbers past 2^53 are rounded on their way. A create or order that failed without a response may have happened: " +
  "repeat it with the same idempotencyKey. The resources are the reference, the errors and the guides of this service.";

/** How long clients may keep what they are told of the service, in milliseconds: it changes with an upgrade of the service. */
const CACHE_MS = 60_000;

type Result = Readonly<Record<string, unknown>>;

interface Request {
  readonly params: Readonly<Record<string, unknown>>;
  readonly isStateless: boolean;
  readonly signal: AbortSignal;
}

/** The requests of one client, which come as lines. */
export class Session {
  readonly #offer: Offer;
  readonly #server: { readonly name: string; readonly title: string; readonly version: string };
  readonly #running = new Map<string, AbortController>();
  #hasShakenHands = false;

  constructor(offer: Offer, version: string) {
    this.#offer = offer;
    this.#server = { name: "animal-store", title: "Animal Store", version };
  }

  /** The response to a line, on one line; undefined where none is due. */
  async handle(line: Line): Promise<string | undefined> {
    let call: Call | undefined;
    try {
      call = callOf(line);
    } catch (error) {
      return failed(error, (error as RpcError).id);
    }
    if (call === undefined) return undefined;
    if (call.id === undefined) {
      if (call.method === "notifications/cancelled") this.#cancel(call.params.requestId);
      return undefined;
    }
    const { id } = call;
    const cancelled = new AbortController();
    this.#running.set(keyOf(id), cancelled);
    try {
      const result = await this.#answer(call, cancelled.signal);
      return cancelled.signal.aborted ? undefined : writeMessage({ jsonrpc: "2.0", id, result });
    } catch (error) {
      return cancelled.signal.aborted ? undefined : failed(error, id);
    } finally {
      this.#running.delete(keyOf(id));
    }
  }

  /** Ends every request in progress. */
  stop(): void {
    for (const running of this.#running.values()) running.abort();
  }

  #cancel(id: unknown): void {
    this.#running.get(keyOf(id as Id))?.abort();
  }

  async #answer({ method, params }: Call, signal: AbortSignal): Promise<Result> {
    if (method === "initialize") return this.#shakeHands(params);
    const isStateless = this.#isStateless(params);
    if (method === "ping" && !isStateless) return {};
    if (!isStateless && !this.#hasShakenHands) {
      const remedy = `Begin with initialize, or say in each request's _meta that it is of ${STATELESS}.`;
      throw new RpcError(INVALID_PARAMS, remedy);
    }
    const request = { params, isStateless, signal };
    const result = await this.#resultOf(method, request);
    if (!isStateless) return result;
    const isCacheable = method !== "tools/call";
    return {
      resultType: "complete",
      ...result,
      ...(isCacheable && { ttlMs: CACHE_MS, cacheScope: "private" }),
      _meta: { [`${META}serverInfo`]: this.#server },
    };
  }

  #resultOf(method: string, request: Request): Result | Promise<Result> {
    const { tools, resources } = this.#offer;
    switch (method) {
      case "server/discover":
        if (request.isStateless) return { supportedVersions: VERSIONS, ...this.#self() };
        break;
      case "tools/list":
        return { tools: Array.from(tools.values(), ({ shown }) => shown) };
      case "tools/call":
        return this.#callTool(request);
      case "resources/list":
        return { resources: [...resources.values()] };
      case "resources/read":
        return this.#readResource(request);
    }
    const known = ["tools/list", "tools/call", "resources/list", "resources/read"].join(", ");
    throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}; there are ${known}.`);
  }

  #shakeHands({ protocolVersion }: Result): Result {
    this.#hasShakenHands = true;
    const isKnown = WITH_HANDSHAKE.some((version) => version === protocolVersion);
    return {
      protocolVersion: isKnown ? protocolVersion : WITH_HANDSHAKE[0],
      serverInfo: this.#server,
      ...this.#self(),
    };
  }

  #self(): Result {
    return { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS };
  }

  /** Whether a request says itself what it needs. @throws RpcError if it does so wrongly */
  #isStateless({ _meta }: Result): boolean {
    const meta = isObject(_meta) ? _meta : {};
    const requested = meta[`${META}protocolVersion`];
    if (requested === undefined) return false;
    if (requested !== STATELESS) {
      const data = { supported: VERSIONS, requested };
      throw new RpcError(UNSUPPORTED_VERSION, `The protocol's version must be ${STATELESS}.`, { data });
    }
    const capabilities = `${META}clientCapabilities`;
    if (isObject(meta[capabilities])) return true;
    throw new RpcError(INVALID_PARAMS, `_meta must have ${capabilities}, an object.`);
  }

  async #callTool({ params, signal }: Request): Promise<Result> {
    const { tools, withheld } = this.#offer;
    const { name } = params;
    // Some programs write null where there are none.
    const given = params.arguments ?? {};
    if (typeof name !== "string")
      throw new RpcError(INVALID_PARAMS, "The name of the tool must be a string.");
    const tool = tools.get(name);
    if (tool === undefined) {
      const reason = withheld.get(name);
      const why = reason === undefined ? `There is no tool ${JSON.stringify(name)}` : `${name} ${reason}`;
      throw new RpcError(INVALID_PARAMS, `${why}; there are ${[...tools.keys()].join(", ")}.`);
    }
    if (!isObject(given)) throw new RpcError(INVALID_PARAMS, "The arguments must be an object.");
    return { ...(await tool.call(given, signal)) };
  }

  async #readResource({ params, isStateless, signal }: Request): Promise<Result> {
    const { resources, pages } = this.#offer;
    const resource = typeof params.uri === "string" ? resources.get(params.uri) : undefined;
    if (resource !== undefined) return contentsOf(resource, pages, signal);
    const code = isStateless ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
    throw new RpcError(code, "There is no such resource: resources/list has the uri of each.", {
      data: { uri: params.uri },
    });
  }
}

/** Two ids are the same if they are of one type and equal. */
function keyOf(id: Id): string {
  return writeMessage(id);
}

function failed(error: unknown, id: Id | undefined): string {
  const { code, message, data } =
    error instanceof RpcError
      ? error
      : new RpcError(INTERNAL_ERROR, error instanceof Error ? error.message : "It failed.");
  return writeMessage({ jsonrpc: "2.0", id, error: { code, message, data } });
}
