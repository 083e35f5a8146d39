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
import { VERSION } from "../system/version.ts";
import { clockSchema } from "./clock.ts";
import { faultRulesSchema } from "./faults.ts";
import { readJournalQuery } from "./journal-query.ts";
import { isSameSite } from "./same-site.ts";
import type { Space } from "./space.ts";
import { SPACES_MAX, type Spaces } from "./spaces.ts";

export const CONTROL_PATH = "/_sandbox";

interface ControlOptions {
  /** The address or name that the sandbox listens on. */
  readonly host: string;
  /** The ids of the operations that faults may name. */
  readonly operations: readonly [string, ...string[]];
  readonly spaces: Spaces;
  /** Restores the initial state of a space. */
  readonly reset: (space: Space) => Promise<void>;
}

/** A request of the control interface. */
interface Order {
  readonly request: Request;
  /** The space that the request's API key chooses; without a key, the first. */
  readonly space: Space;
  /** The last segment of the path. */
  readonly name: string;
  readonly query: string;
}

/** Carries out a request. Its result is sent as JSON; without a result, the response is 204. */
type Action = (order: Order) => unknown;

type Actions = Readonly<Record<string, Action>>;

/** A result with a status of its own. */
class Answer {
  constructor(
    readonly status: number,
    readonly value: unknown,
  ) {}
}

/** The control interface of a sandbox: spaces, and the faults, clock, journal and reset of each. */
export class Control {
  readonly #options: ControlOptions;
  /** By path, where `*` stands for a name. */
  readonly #resources: Readonly<Record<string, Actions>>;

  constructor(options: ControlOptions) {
    this.#options = options;
    const { spaces } = options;
    const rules = faultRulesSchema(options.operations);
    this.#resources = {
      "": {
        GET: ({ space }) => ({ version: VERSION, ...shown(space), ...timeOf(space), ...faultsOf(space) }),
      },
      "/spaces": {
        GET: () => ({ spaces: [...spaces].map(shown) }),
        POST: () => {
          const space = spaces.add();
          return space ? new Answer(201, shown(space)) : tooManySpaces;
        },
      },
      "/spaces/*": {
        GET: ({ name }) => {
          const space = spaces.find(name);
          return space ? shown(space) : unknownSpace;
        },
        DELETE: ({ name }) => {
          const space = spaces.find(name);
          if (!space) return unknownSpace;
          return space === spaces.first ? firstSpace : spaces.remove(space);
        },
      },
      "/faults": {
        GET: ({ space }) => faultsOf(space),
        PUT: ({ request, space }) =>
          withBody(request, rules, ({ faults }) => {
            space.plan.replace(faults);
            return faultsOf(space);
          }),
        DELETE: ({ space }) => space.plan.replace([]),
      },
      "/clock": {
        GET: ({ space }) => timeOf(space),
        PUT: ({ request, space }) =>
          withBody(request, clockSchema(space.clock.now()), async (to) => {
            space.clock.set(to);
            await space.deleteExpired();
            return timeOf(space);
          }),
        DELETE: async ({ space }) => {
          space.clock.reset();
          await space.deleteExpired();
        },
      },
      "/requests": {
        GET: ({ space, query }) => {
          const wanted = readJournalQuery(query);
          return wanted instanceof Failure
            ? wanted
            : space.journal.find(wanted.filter, wanted.after, wanted.limit);
        },
        DELETE: ({ space }) => space.journal.clear(),
      },
      "/reset": { POST: ({ space }) => options.reset(space) },
    };
  }

  /** Whether a request is for the control interface. */
  covers({ url }: Request): boolean {
    const target = rawTarget(url);
    return target.startsWith(CONTROL_PATH) && /^(?:[/?]|$)/.test(target.slice(CONTROL_PATH.length));
  }

  async handle(request: Request): Promise<Response> {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return toRuntime(await this.#answer(request), requestId, {});
  }

  async #answer(request: Request): Promise<HttpResponse> {
    if (!isSameSite(request, this.#options.host)) return rendered(foreign);
    const { path, query } = splitTarget(rawTarget(request.url));
    const resource = path.slice(CONTROL_PATH.length);
    const nameAt = resource.lastIndexOf("/") + 1;
    const name = resource.slice(nameAt);
    const actions =
      this.#resources[resource] ??
      (name === "" ? undefined : this.#resources[`${resource.slice(0, nameAt)}*`]);
    if (!actions) return rendered(new Failure("path_not_found", { path }));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const action = actions[method];
    if (!action) return rendered(notAllowed(request.method, Object.keys(actions)));
    const authorization = request.headers.get("authorization");
    const { space, key } = this.#options.spaces.choose(authorization);
    // The caller means another space than the first.
    if (authorization !== null && key === null) return rendered(unknownKey);
    space.use();
    return rendered(await action({ request, space, name, query }));
  }
}

function shown({ id, keys }: Space) {
  return { space: id, keys };
}

function timeOf({ clock }: Space) {
  return { now: rfc3339(clock.now()) };
}

function faultsOf({ plan }: Space) {
  return { faults: plan.rules };
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

function rendered(result: unknown): HttpResponse {
  if (result instanceof Failure) return renderFailure(result);
  if (result === undefined) return { status: 204, headers: {}, body: null };
  const { status, value } = result instanceof Answer ? result : new Answer(200, result);
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: JSON.stringify(value) };
}

function refusal(status: number, code: string, message: string): Answer {
  return new Answer(status, { code, message, status });
}

const foreign = refusal(
  403,
  "foreign_request",
  "The control interface serves no pages of other origins, and only requests whose `Host` is localhost, an IP " +
    "address, or the name that the sandbox listens on.",
);

const unknownKey = refusal(
  401,
  "unknown_key",
  "No space of this sandbox has this API key. Send a key of the space that you mean, or none for the first space.",
);

const unknownSpace = refusal(
  404,
  "space_not_found",
  "There is no such space: it was deleted, or nobody used it for an hour. `GET /_sandbox/spaces` lists all.",
);

const firstSpace = refusal(
  409,
  "first_space",
  "The first space, to which the fixed keys belong, cannot be deleted. `POST /_sandbox/reset` restores its first state.",
);

const tooManySpaces = refusal(
  503,
  "too_many_spaces",
  `There are ${SPACES_MAX} spaces beside the first. Delete one with \`DELETE /_sandbox/spaces/{space}\`, or wait: a ` +
    "space is removed after an hour without a request.",
);
