import type { Call, ClientResponse } from "../../contract/client.ts";
import { methodOf } from "../../contract/client.ts";
import type { Cluster } from "./cluster.ts";
import type { Contents, StoredKey } from "./contents.ts";

/** What an answer says, or what it would say of a store: comparable, and readable for people. */
type Said = string;

/**
 * Judges each answer by itself: it must have been true of the primary at a moment between the request and the answer.
 *
 * @returns what is wrong, if anything is
 */
export function judge(
  cluster: Cluster,
  key: StoredKey,
  call: Call,
  answer: ClientResponse,
): string | undefined {
  const method = methodOf(call);
  const { status, from, to } = answer;
  // A failure proves nothing, and 304 says that what was judged before still holds.
  if (status === 503 || status === 304) return undefined;
  if (status >= 500) return `${method} ${call.path} got ${status}`;
  const possible = between(cluster, from, to);
  if (status === 401) {
    if (possible.some((contents) => isRevoked(contents, key))) return undefined;
    return `${method} ${call.path} got 401 with a key that was valid from ${time(from)} on`;
  }
  if (!possible.some((contents) => !isRevoked(contents, key))) {
    return `${method} ${call.path} got ${status} with a key that was revoked from ${time(from)} on`;
  }
  if (method !== "GET") return judgeWrite(cluster, call, answer);
  const said = saidOf(call, answer);
  if (said === undefined) return undefined;
  const true_ = [...new Set(possible.map((contents) => sayingOf(contents, call)))];
  if (true_.includes(said)) return undefined;
  return `GET ${call.path}, from ${time(from)} to ${time(to)}, said ${said}; true was ${true_.join(", or ")}`;
}

/** All that the primary has shown between two times, and what a primary shows that was replaced a moment ago. */
function between({ truth, replaced }: Cluster, from: number, to: number): Contents[] {
  const later = truth.findIndex(({ since }) => since > from);
  const shown = truth.slice((later === -1 ? truth.length : later) - 1).filter(({ since }) => since <= to);
  const left = replaced && from < replaced.until ? replaced.shown : [];
  return [...shown.map(({ contents }) => contents), ...left];
}

function isRevoked({ keys }: Contents, { id }: StoredKey): boolean {
  return keys.find((key) => key.id === id)?.revokedAt != null;
}

/** What was acknowledged must be where a promotion finds it. */
function judgeWrite(
  cluster: Cluster,
  call: Call,
  { status, body, headers, from, to }: ClientResponse,
): string | undefined {
  if (
    cluster.restoredAt > from ||
    status !== 201 ||
    call.path !== "/pets" ||
    headers.get("idempotent-replayed")
  )
    return undefined;
  const { id, name } = JSON.parse(body.toString()) as { id: number; name: string };
  if (cluster.isKept(BigInt(id), name)) return undefined;
  return `POST /pets got 201 at ${time(to)} for animal ${id}, "${name}", which is lost with one server`;
}

interface Item {
  readonly id: number;
  readonly name?: string;
  readonly petId?: number;
  readonly status: string;
}

function show({ id, name, petId, status }: Item): string {
  return `${id} ${name ?? `of ${petId}`} ${status}`;
}

/** `undefined` of what is judged otherwise: a page whose cursor only its instance can read, or a feed. */
function saidOf({ path }: Call, { status, body }: ClientResponse): Said | undefined {
  if (/cursor=|^\/events/.test(path)) return undefined;
  if (status === 404) return "nothing";
  const said = JSON.parse(body.toString()) as Item | Item[];
  return Array.isArray(said) ? `[${said.map(show).join("; ")}]` : show(said);
}

function sayingOf({ animals, orders }: Contents, { path }: Call): Said {
  const { pathname, searchParams } = new URL(path, "http://animals");
  const items: Item[] = (pathname.startsWith("/pets") ? animals : orders).map((item) => ({
    id: Number(item.id),
    status: item.status,
    ...("name" in item ? { name: item.name } : { petId: Number(item.petId) }),
  }));
  const [, , id] = pathname.split("/");
  if (id !== undefined) {
    const item = items.find((each) => each.id === Number(id));
    return item ? show(item) : "nothing";
  }
  const limit = Number(searchParams.get("limit") ?? 20);
  const matching = items.filter(
    ({ status, petId }) =>
      (searchParams.get("status") ?? status) === status &&
      Number(searchParams.get("petId") ?? petId ?? 0) === (petId ?? 0),
  );
  const ordered = searchParams.get("sort") === "-id" ? matching.toReversed() : matching;
  return `[${ordered.slice(0, limit).map(show).join("; ")}]`;
}

function time(at: number): string {
  return `${at.toFixed(1)} ms`;
}
