/** What a tool answered. */
export interface Answered {
  /** 0 where there was no response. */
  readonly status: number;
  readonly body: string;
}

/** A tool against which the tests of a client could run, as its documentation begins with it; gone with `await using`. */
export interface Tool extends AsyncDisposable {
  /** @param path below the base address, for example `/pets` */
  call(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answered>;
  /** Lets the next create be carried out, and its response be lost. Left out: the tool cannot. */
  readonly loseNextResponse?: () => Promise<unknown>;
  /** How many creates the client has sent. Left out: the tool does not say. */
  readonly creates?: () => Promise<number>;
}

/** Calls a tool that listens at a base address. */
export function callerOf(baseUrl: string, own: Record<string, string> = {}): Tool["call"] {
  return async (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const init = { method, headers: { ...own, ...type, ...headers }, keepalive: false };
    try {
      const response = await fetch(baseUrl + path, body === undefined ? init : { ...init, body });
      return { status: response.status, body: await response.text() };
    } catch {
      return { status: 0, body: "" };
    }
  };
}
