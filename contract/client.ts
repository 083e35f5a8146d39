import { assert, BrokenPromise, Inconclusive } from "./contract-violation.ts";
import { BlockSplitter, type StreamBlock } from "./server-sent-events.ts";

/** A request as a client makes it. */
export interface Call {
  /** POST if there is a body, else GET. */
  readonly method?: string;
  /** Below the base address: `/pets?limit=1`; or from the root of the host, with `root`. */
  readonly path: string;
  readonly root?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Sends the body without its length. */
  readonly chunked?: boolean;
  /** In place of the client's own; `null` sends none. */
  readonly key?: string | null;
  /** Aborts the request; its outcome is then unknown. */
  readonly signal?: AbortSignal;
}

export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** When the request was sent and when the response was complete, in milliseconds of the monotonic clock. */
  readonly from: number;
  readonly to: number;
}

/** How long a response may take, in milliseconds: longer is a hang. */
const HANG_MS = 30_000;

/** A proxy for outgoing requests must not be used for this machine. The runtime accepts `false`, which its types lack. */
const DIRECTLY = { proxy: false } as RequestInit;

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}

/** No response came, so it is unknown whether the service carried out the request. */
export class NoResponse extends Error {
  readonly request: string;

  constructor(message: string, request: string) {
    super(message);
    this.request = request;
  }
}

/** An HTTP client of the service. */
export class Client {
  /** With the version segment, without a slash at its end. */
  readonly base: string;
  readonly key: string;
  readonly #way: RequestInit;

  constructor(base: string, key: string) {
    this.base = base;
    this.key = key;
    this.#way = isThisMachine(new URL(base).hostname) ? DIRECTLY : {};
  }

  /**
   * @throws NoResponse if the connection fails; Inconclusive if no response comes in time
   */
  async send(call: Call): Promise<ClientResponse> {
    const from = performance.now();
    const giveUp = new AbortController();
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      giveUp.abort();
    }, HANG_MS);
    call.signal?.addEventListener("abort", () => giveUp.abort(), { once: true });
    try {
      const response = await fetch(this.address(call), {
        method: methodOf(call),
        headers: headersOf(call, this.key),
        redirect: "manual",
        signal: giveUp.signal,
        ...this.#way,
        ...(call.body !== undefined && { body: call.chunked ? streamOf(call.body) : call.body }),
      });
      const body = Buffer.from(await response.arrayBuffer());
      const { status, headers } = response;
      return { status, headers, body, from, to: performance.now() };
    } catch (error) {
      if (hangs)
        throw Inconclusive.ofSilence(`no response came within ${HANG_MS / 1000} s to ${this.curl(call)}`);
      throw new NoResponse((error as Error).message, this.curl(call));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a request that must get a status.
   *
   * @param expected the status with its reason, for people
   * @throws BrokenPromise; Inconclusive for a 503; else as `send` does
   */
  async expect(call: Call, status: number, expected = `${status}`): Promise<ClientResponse> {
    const response = await this.send(call);
    if (response.status === 503) throw Inconclusive.of503(response.body);
    assert(response.status === status, expected, showResponse(response), this.curl(call));
    return response;
  }

  /**
   * Reads a stream of events until there was enough; returns the media type of the response.
   *
   * @param isEnough is given each block as it arrives
   * @throws NoResponse, also if there is not enough in time
   */
  async stream(call: Call, isEnough: (block: StreamBlock) => boolean): Promise<string | null> {
    const signal = AbortSignal.timeout(HANG_MS);
    try {
      const headers = headersOf(call, this.key);
      const response = await fetch(this.address(call), { headers, signal, ...this.#way });
      const splitter = new BlockSplitter();
      for await (const piece of response.body ?? []) if (splitter.push(piece).some(isEnough)) break;
      return response.headers.get("content-type");
    } catch (error) {
      if (error instanceof BrokenPromise) throw error;
      throw new NoResponse((error as Error).message, this.curl(call));
    }
  }

  /** A path below the base address, from the root of the host. */
  fromRoot(path: string): string {
    return new URL(this.base).pathname + path;
  }

  address({ path, root }: Call): string {
    return root ? new URL(path, this.base).href : this.base + path;
  }

  /** The request as a `curl` command, without the key. */
  curl(call: Call): string {
    const fields = Object.entries(headersOf(call, "$KEY")).map(
      ([name, value]) => ` -H "${name}: ${value.replace(/["\\`]/g, "\\$&")}"`,
    );
    const method = methodOf(call);
    const verb = method === "HEAD" ? " -I" : method === "GET" && !call.body ? "" : ` -X ${method}`;
    const line = `curl -i${verb} ${quote(this.address(call))}${fields.join("")}${dataOf(call)}`;
    return line.replaceAll(this.key, "$KEY");
  }
}

/** The status of a response and the beginning of its body, for people. */
export function showResponse({ status, body }: ClientResponse): string {
  return `${status}: ${body.toString().slice(0, 300)}`;
}

/** The method of a request, given or implied. */
export function methodOf({ method, body }: Call): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

function headersOf({ key, headers, body }: Call, own: string): Record<string, string> {
  return {
    ...(key !== null && {
      Authorization: `Bearer ${own === "$KEY" && key !== undefined ? "$OTHER_KEY" : (key ?? own)}`,
    }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...headers,
  };
}

function streamOf(body: string | Uint8Array): ReadableStream {
  const bytes = Buffer.from(body);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.subarray(at, at + 10_000));
      controller.close();
    },
  });
}

const BODY_SHOWN_MAX = 2000;

function dataOf({ body, chunked }: Call): string {
  if (body === undefined) return "";
  const how = chunked ? ' -H "Transfer-Encoding: chunked"' : "";
  const text = typeof body === "string" ? body : Buffer.from(body).toString("latin1");
  if (text.length > BODY_SHOWN_MAX)
    return `${how} --data-binary @- # ${text.length} bytes: ${text.slice(0, 80)}…`;
  const isPlain = typeof body === "string" || /^[\x20-\x7e]*$/.test(text);
  return isPlain
    ? `${how} --data-binary ${quote(text)}`
    : `${how} --data-binary @<(base64 -d <<< ${Buffer.from(body).toString("base64")})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
