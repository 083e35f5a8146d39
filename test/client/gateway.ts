import type { Service } from "../support/service.ts";

/** One request at the gateway. */
export interface Passing {
  readonly request: Request;
  /** How many came before it. */
  readonly index: number;
  /** The service's own response to it. */
  forward(): Promise<Response>;
}

/** A proxy before a service that changes what it is told to; gone with `await using`. */
export interface Gateway extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** The requests that came, in order. */
  readonly requests: Request[];
}

export function startGateway(
  service: Service,
  respond: (passing: Passing) => Response | Promise<Response>,
  /** A path in front of the service's own, which the gateway takes off. */
  prefix = "",
  port = 0,
): Gateway {
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 0,
    fetch: async (request) => {
      const index = requests.push(request) - 1;
      const body = request.method === "GET" ? null : await request.text();
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const forward = () =>
        fetch(service.address + pathname.slice(prefix.length) + search, { method, headers, body });
      return respond({ request, index, forward });
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}${prefix}/v1`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
