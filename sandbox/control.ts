import type { z } from "zod";
import { Failure } from "../src/domain/failure.ts";
import { writeJson } from "../src/domain/json-writer.ts";
import { quote } from "../src/domain/quote.ts";
import { rfc3339 } from "../src/domain/time.ts";
import { requestIdOf } from "../src/http/call.ts";
import { readBody, receiveBody } from "../src/http/request/body.ts";
import { notAllowed } from "../src/http/request/routes.ts";
import { parseQuery, rawTarget, splitTarget } from "../src/http/request/target.ts";
import type { HttpResponse } from "../src/http/response/http-response.ts";
import { renderFailure } from "../src/http/response/render.ts";
import { toRuntime } from "../src/http/response/to-runtime.ts";
import type { Connections } from "../src/http/runtime/connections.ts";
import { VERSION } from "../src/system/version.ts";
import { clockSchema } from "./clock.ts";
import type { controlDocument } from "./control-document.ts";
import { TARGETS_MAX } from "./deliveries/deliveries.ts";
import { readDeliveryQuery } from "./deliveries/delivery-query.ts";
import { wishSchema } from "./deliveries/wish-schema.ts";
import { type FaultTargets, faultRulesSchema, RULES_MAX } from "./faults.ts";
import type { InitialState } from "./initial-state.ts";
import type { JournalFilters } from "./journal-filters.ts";
import { readJournalQuery } from "./journal-query.ts";
import { foreignPart, hostName } from "./same-site.ts";
import { SNAPSHOTS_MAX, type Space } from "./space.ts";
import { SPACES_MAX, type Spaces } from "./spaces.ts";

export const CONTROL_PATH = "/_sandbox";
/** The page for people, which the service of the space serves as it serves its other pages. */
export const CONTROL_PAGE = `${CONTROL_PATH}/console`;

/** How long the runtime waits for a response once a wait for deliveries is over. */
const AFTER_WAIT_SECONDS = 12;

interface ControlOptions {
  /** The names by which clients may reach it besides localhost, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Its OpenAPI document. */
  readonly document: ReturnType<typeof controlDocument>;
  /** What faults may be about. */
  readonly targets: FaultTargets;
  /** What the journal can be filtered by. */
  readonly filters: JournalFilters;
  /** The host on which it listens. */
  readonly listensOn: string;
  readonly spaces: Spaces;
  readonly initial: InitialState;
  /** Ends the sandbox if the work fails, which leaves a space without a store. */
  readonly orEnd: <Result>(work: Promise<Result>) => Promise<Result | undefined>;
}

/** A request of the control interface. */
interface Order {
  readonly request: Request;
  /** The space that the request's API key chooses; without a key, the first. */
  readonly space: Space;
  /** The last segment of the path. */
  readonly name: string;
  readonly query: string;
  readonly connections: Connections;
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

/** The control interface of a sandbox: spaces, and the faults, clock, journal, deliveries and reset of each. */
export class Control {
  readonly #options: ControlOptions;
  /** By path, where `*` stands for a name. */
  readonly #resources: Readonly<Record<string, Actions>>;

  constructor(options: ControlOptions) {
    this.#options = options;
    const { document, filters, spaces, initial, orEnd } = options;
    const rules = faultRulesSchema(options.targets);
    const wishes = wishSchema(options.listensOn);
    this.#resources = {
      "": {
        GET: ({ space }) => ({ version: VERSION, ...shown(space), ...timeOf(space), ...faultsOf(space) }),
      },
      "/spaces": {
        GET: () => ({ spaces: [...spaces].map(shown) }),
        POST: ({ space, query }) => {
          const name = snapshotIn(query);
          if (name instanceof Failure) return name;
          const from = name === undefined ? undefined : space.snapshot(name);
          if (name !== undefined && !from) return unknownSnapshot;
          const added = spaces.add(from);
          return added ? new Answer(201, shown(added)) : tooManySpaces;
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
          withBody(request, space, rules, ({ faults }) => {
            space.plan.replace(faults);
            return faultsOf(space);
          }),
        POST: ({ request, space }) =>
          withBody(request, space, rules, ({ faults }) =>
            space.plan.add(faults) ? faultsOf(space) : tooManyFaults,
          ),
        DELETE: ({ space }) => space.plan.replace([]),
      },
      "/clock": {
        GET: ({ space }) => timeOf(space),
        PUT: ({ request, space }) =>
          withBody(request, space, clockSchema(space.clock), async (to) => {
            space.clock.set(to);
            await space.clockChanged();
            return timeOf(space);
          }),
        DELETE: async ({ space }) => {
          space.clock.reset();
          await space.clockChanged();
        },
      },
      "/requests": {
        GET: ({ space, query }) => {
          const wanted = readJournalQuery(query, filters);
          return wanted instanceof Failure
            ? wanted
            : space.journal.find(wanted.filter, wanted.after, wanted.limit, wanted.nearest);
        },
        DELETE: ({ space }) => space.journal.clear(),
      },
      "/deliveries": {
        GET: async ({ request, space, query, connections }) => {
          const wanted = readDeliveryQuery(query);
          if (wanted instanceof Failure) return wanted;
          const { filter, after, limit, atLeast, waitMs } = wanted;
          connections.timeout(request, Math.ceil(waitMs / 1000) + AFTER_WAIT_SECONDS);
          await space.deliveries.list.reach(filter, after, atLeast, waitMs);
          return { targets: space.deliveries.targets, ...space.deliveries.list.find(filter, after, limit) };
        },
        POST: ({ request, space }) =>
          withBody(request, space, wishes, async (wish) => {
            const added = await space.deliverTo(wish);
            return added ? new Answer(201, added) : tooManyTargets;
          }),
        DELETE: ({ space }) => space.deliveries.removeAll(),
      },
      "/deliveries/*": {
        DELETE: ({ space, name }) =>
          TARGET_ID.test(name) && space.deliveries.remove(Number(name)) ? undefined : unknownTarget,
      },
      "/reset": { POST: async ({ space }) => orEnd(space.reset(await initial.get())) },
      "/snapshots": { GET: ({ space }) => ({ snapshots: space.snapshots }) },
      "/snapshots/*": {
        PUT: async ({ space, name }) => {
          if (!SNAPSHOT_NAME.test(name)) return badSnapshotName;
          return (await space.takeSnapshot(name)) ? undefined : tooManySnapshots;
        },
        POST: async ({ space, name }) =>
          (await orEnd(space.restore(name))) === false ? unknownSnapshot : undefined,
        DELETE: ({ space, name }) => (space.deleteSnapshot(name) ? undefined : unknownSnapshot),
      },
      "/openapi.json": { GET: () => document },
    };
  }

  async handle(request: Request, connections: Connections): Promise<Response> {
    const requestId = requestIdOf(request.headers.get("x-request-id"));
    return toRuntime(await this.#answer(request, connections), requestId, {});
  }

  async #answer(request: Request, connections: Connections): Promise<HttpResponse> {
    const foreign = foreignPart(request, this.#options.names);
    if (foreign) return rendered(foreign === "origin" ? foreignOrigin : foreignHost(request));
    const { path, query } = splitTarget(rawTarget(request.url));
    const resource = path.slice(CONTROL_PATH.length);
    const nameAt = resource.lastIndexOf("/") + 1;
    const name = resource.slice(nameAt);
    const actions =
      this.#resources[resource] ??
      (name === "" ? undefined : this.#resources[`${resource.slice(0, nameAt)}*`]);
    if (!actions) return rendered(unknownPath(path));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const action = actions[method];
    if (!action) return rendered(notAllowed(request.method, Object.keys(actions)));
    const authorization = request.headers.get("authorization");
    const { space, key } = this.#options.spaces.choose(authorization);
    // The caller means another space than the first.
    if (authorization !== null && key === null) return rendered(unknownKey);
    space.use();
    return rendered(await action({ request, space, name, query, connections }));
  }
}

function shown({ id, keys }: Space) {
  return { space: id, keys };
}

function timeOf({ clock }: Space) {
  return { now: rfc3339(clock.now()), frozen: clock.isFrozen };
}

function faultsOf({ plan }: Space) {
  return { faults: plan.rules };
}

/** The snapshot in which a new space is to begin, if a query names one. */
function snapshotIn(query: string): string | undefined | Failure {
  const given = parseQuery(query);
  if (given instanceof Failure) return given;
  for (const [name, values] of given) {
    if (name !== "snapshot") return new Failure("invalid_parameter", { name, rule: "is not `snapshot`" });
    if (values.length > 1) return new Failure("invalid_parameter", { name, rule: "must be given once" });
  }
  return given.get("snapshot")?.[0];
}

/** Reads the body of a request, and passes it to `work` if it satisfies the schema. */
async function withBody<Body>(
  request: Request,
  space: Space,
  schema: z.ZodType<Body>,
  work: (body: Body) => unknown,
): Promise<unknown> {
  const bytes = await receiveBody(request, { schema });
  // It may have been removed while the body arrived.
  if (space.hasEnded) return unknownKey;
  const body = bytes instanceof Failure ? bytes : readBody(bytes, { schema });
  return body instanceof Failure ? body : work(body as Body);
}

function rendered(result: unknown): HttpResponse {
  if (result instanceof Failure) return renderFailure(result);
  if (result === undefined) return { status: 204, headers: {}, body: null };
  const { status, value } = result instanceof Answer ? result : new Answer(200, result);
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: writeJson(value) };
}

function refusal(status: number, code: string, message: string): Answer {
  return new Answer(status, { code, message, status });
}

function unknownPath(path: string): Answer {
  const text = `There is nothing at ${quote(path)}. \`${CONTROL_PATH}/openapi.json\` lists every path of the control interface.`;
  return refusal(404, "path_not_found", text);
}

const foreignOrigin = refusal(
  403,
  "foreign_request",
  "The control interface serves no pages of other origins: `Origin` must be that of the sandbox, or left out.",
);

function foreignHost({ headers }: Request): Answer {
  const name = hostName(headers.get("host") ?? "");
  const remedy = /^[a-z0-9._-]+$/.test(name)
    ? `If clients reach the sandbox by this name, start it with \`--allow-host ${name}\`.`
    : "Use localhost or an IP address.";
  return refusal(
    403,
    "foreign_request",
    `The control interface does not know the name ${quote(name)} in \`Host\`, which a page of another site may have chosen. ${remedy}`,
  );
}

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
  `There are ${SPACES_MAX} spaces besides the first. Delete one with \`DELETE /_sandbox/spaces/{space}\`, or wait: a ` +
    "space is removed after an hour without a request.",
);

const tooManyFaults = refusal(
  409,
  "too_many_faults",
  `With these the plan would have more than ${RULES_MAX} faults. \`PUT /_sandbox/faults\` replaces it, and \`DELETE\` empties it.`,
);

const tooManyTargets = refusal(
  409,
  "too_many_targets",
  `This space delivers to ${TARGETS_MAX} addresses. \`DELETE /_sandbox/deliveries/{target}\` ends the deliveries to one of them.`,
);

const unknownTarget = refusal(
  404,
  "target_not_found",
  "This space does not deliver to such an address. `GET /_sandbox/deliveries` lists its `targets`.",
);

/** As the service writes it: `1e0` is none. */
const TARGET_ID = /^[1-9]\d{0,14}$/;

/** A name that stands in a path as it is. */
const SNAPSHOT_NAME = /^[A-Za-z0-9._-]{1,64}$/;

const badSnapshotName = refusal(
  400,
  "invalid_name",
  "The name of a snapshot must have 1 to 64 letters, digits, dots, hyphens and underscores.",
);

const unknownSnapshot = refusal(
  404,
  "snapshot_not_found",
  "This space has no such snapshot. `GET /_sandbox/snapshots` lists those that it has.",
);

const tooManySnapshots = refusal(
  409,
  "too_many_snapshots",
  `This space has ${SNAPSHOTS_MAX} snapshots. Delete one with \`DELETE /_sandbox/snapshots/{name}\` first.`,
);
