import { readJson } from "../client/exact-json.ts";

/** How long a page may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** What a service shows of itself next to its interface: its document, and pages for readers. */
export class Pages {
  /** The address of the service without the version of its interface. */
  readonly root: string;
  readonly #agent: string;

  /** @param baseUrl ends in `/v1` */
  constructor(baseUrl: string, agent: string) {
    this.root = baseUrl.replace(/\/v\d+$/, "");
    this.#agent = agent;
  }

  /** @throws Error that names the address */
  async text(path: string, signal?: AbortSignal): Promise<string> {
    const response = await this.request("GET", path, signal ? { signal } : {});
    const text = await response.text();
    if (response.ok) return text;
    throw new Error(`${this.root}${path} is not there: the response has the status ${response.status}`);
  }

  /** @throws Error that names the address */
  async json(path: string): Promise<unknown> {
    const text = await this.text(path);
    try {
      return readJson(text);
    } catch {
      throw new Error(`${this.root}${path} is no JSON`);
    }
  }

  /** @throws Error that names the address, or the reason of the signal */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])];
    try {
      return await fetch(this.root + path, {
        ...init,
        method,
        headers: { ...init.headers, "user-agent": this.#agent },
        // Another address must not get a key.
        redirect: "manual",
        signal: AbortSignal.any(signals),
      });
    } catch (error) {
      init.signal?.throwIfAborted();
      throw new Error(`${this.root}${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }
}
