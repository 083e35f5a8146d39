import type { z } from "zod";
import { Failure } from "../domain/failure.ts";
import { rfc3339 } from "../domain/time.ts";
import { readBody, receiveBody } from "../http/request/body.ts";
import { requestIdOf } from "../http/request/headers.ts";
import { notAllowed } from "../http/request/routes.ts";
import { rawTarget, splitTarget } from "../http/request/target.ts";
import type { HttpResponse } from "../http/response/http-response.ts";
import { renderFailure } from "../http/response/render.ts";
import { toRuntime } from "../http/response/to-runtime.ts";
import type { Connections } from "../http/runtime/connections.ts";
import { VERSION } from "../system/version.ts";
import { clockSchema, type SandboxClock } from "./clock.ts";
import { type FaultPlan, faultRulesSchema } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { readJournalQuery } from "./journal-query.ts";
import { SANDBOX_KEYS } from "./keys.ts";
import { isSameSite } from "./same-site.ts";

export const CONTROL_PATH = "/_sandbox";
const RESET_PATH = `${CONTROL_PATH}/reset`;

interface ControlOptions {
  /** The address or name that the sandbox listens on. */
  readonly host: string;
  /** The ids of the operations that faults may name. */
  readonly operations: readonly [string, ...string[]];
  readonly plan: FaultPlan;
  readonly journal: Journal;
  readonly clock: SandboxClock;
  /** Called after the clock was set, since something may have expired. */
  readonly clockSet: () => Promise<void>;
  /** Restores the initial state of a sandbox. */
  readonly reset: Action;
}

/** Carries out a request. Its result is sent as JSON; without a result, the response is 204. */
type Action = (request: Request, connections: Connections) => unknown;

/** The control interface of a sandbox: its faults, its clock and its reset. */
export class Control {
  readonly #options: ControlOptions;
  readonly #resources: Readonly<Record<string, Readonly<Record<string, Action>>>>;

  constructor(options: ControlOptions) {
    this.#options = options;
    const { plan, clock, journal } = options;
    const rules = faultRulesSchema(options.operations);
    const faults = () => ({ faults: plan.rules });
    const time = () => ({ now: rfc3339(clock.now()) });
    this.#resources = {
      [CONTROL_PATH]: {
        GET: () => ({ version: VERSION, ...time(), ...faults(), keys: SANDBOX_KEYS }),
      },
      [`${CONTROL_PATH}/faults`]: {
        GET: faults,
        PUT: (request) =>
          withBody(request, rules, ({ faults: given }) => {
            plan.replace(given);
            return faults();
          }),
        DELETE: () => plan.replace([]),
      },
      [`${CONTROL_PATH}/clock`]: {
        GET: time,
        PUT: (request) =>
          withBody(request, clockSchema(clock.now()), async (to) => {
            clock.set(to);
            await options.clockSet();
            return time();
          }),
        DELETE: async () => {
          clock.reset();
          await options.clockSet();
        },
      },
      [`${CONTROL_PATH}/requests`]: {
        GET: ({ url }) => {
          const wanted = readJournalQuery(splitTarget(rawTarget(url)).query);
          return wanted instanceof Failure ? wanted : journal.find(wanted.filter, wanted.after, wanted.limit);
        },
        DELETE: () => journal.clear(),
      },
      [RESET_PATH]: { POST: options.reset },
    };
  }

  /** Whether a request is for the control interface. */
  covers(request: Request): boolean {
    const path = pathOf(request);
    return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
  }

  async handle(request: Request, connections: Connections): Promise<Response> {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    const path = pathOf(request);
    // After a reset the connection leads to a service that has ended.
    const headers = path === RESET_PATH ? { Connection: "close" } : {};
    return toRuntime(await this.#answer(request, path, connections), requestId, headers);
  }

  async #answer(request: Request, path: string, connections: Connections): Promise<HttpResponse> {
    if (!isSameSite(request, this.#options.host)) return foreign;
    const actions = this.#resources[path];
    if (!actions) return renderFailure(new Failure("path_not_found", { path }));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const action = actions[method];
    if (!action) return renderFailure(notAllowed(request.method, Object.keys(actions)));
    const result = await action(request, connections);
    if (result instanceof Failure) return renderFailure(result);
    if (result === undefined) return { status: 204, headers: {}, body: null };
    return json(200, result);
  }
}

function pathOf({ url }: Request): string {
  return splitTarget(rawTarget(url)).path;
}

/** Reads the body of a request, and passes it to `work` if it satisfies the schema. */
async function withBody<Body>(
  request: Request,
  schema: z.ZodType<Body>,
  work: (body: Body) => unknown,
): Promise<unknown> {
  const bytes = await receiveBody(request, { schema });
  const body = bytes instanceof Failure ? bytes : readBody(bytes, { schema });
  return body instanceof Failure ? body : work(body as Body);
}

function json(status: number, value: unknown): HttpResponse {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: JSON.stringify(value) };
}

const foreign = json(403, {
  code: "foreign_request",
  message:
    "The control interface serves no pages of other origins, and only requests whose `Host` is localhost, an IP " +
    "address, or the name that the sandbox listens on.",
  status: 403,
});
