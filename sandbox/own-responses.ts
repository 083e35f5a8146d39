import { requestIdOf } from "../src/http/call.ts";
import { CommonHeaders } from "../src/http/response/common-headers.ts";
import { Cors } from "../src/http/response/cors.ts";
import type { HttpResponse } from "../src/http/response/http-response.ts";
import { toRuntime } from "../src/http/response/to-runtime.ts";
import type { ServiceOptions } from "../src/http/service.ts";

/** Makes the runtime's response of a response that no service made. */
export type OwnResponse = (request: Request, response: HttpResponse) => Response;

type Options = Pick<
  ServiceOptions,
  "allowedOrigins" | "operations" | "rateLimit" | "hstsSeconds" | "tls" | "trustProxy" | "clock"
>;

/** Makes responses with the headers that a service with these options gives to each response. */
export function ownResponses(options: Options): OwnResponse {
  const commonHeaders = new CommonHeaders(new Cors(options.allowedOrigins, options.operations), options);
  return (request, response) => {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return toRuntime(response, requestId, commonHeaders.of(request, options.clock()));
  };
}

/** Without these a page of another origin could not ask for a fault, nor see that it has happened. */
const PREFERENCES = {
  "Access-Control-Allow-Headers": "Prefer",
  "Access-Control-Expose-Headers": "Preference-Applied",
} as const;

/** Lets pages that may call the service ask it for faults. */
export function allowPreferences(response: Response): Response {
  const { headers } = response;
  for (const [list, name] of Object.entries(PREFERENCES)) {
    const names = headers.get(list);
    if (names !== null) headers.set(list, `${names}, ${name}`);
  }
  return response;
}
