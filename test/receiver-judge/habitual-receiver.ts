import { createHmac, timingSafeEqual } from "node:crypto";

/** What a receiver of these tests does otherwise than a good one; the first six are no faults. */
export type Habit =
  | "works later"
  | "works longer after a forgery"
  | "works longer on long ids"
  | "keeps the highest id"
  | "shows no animals"
  | "shows nothing"
  | "accepts everything"
  | "refuses everything"
  | "refuses by chance"
  | "compares the beginning"
  | "ignores case"
  | "signs what it writes again"
  | "checks no age"
  | "checks that it is not old"
  | "takes what is no number for now"
  | "takes deliveries without a signature"
  | "takes any version"
  | "looks at the first signature"
  | "knows one secret"
  | "knows the retired secret"
  | "throws at what is wrong"
  | "wants no more of what is wrong"
  | "refuses repetitions"
  | "acts twice"
  | "acts never"
  | "acts before it checks"
  | "notes the id before it checks"
  | "rounds"
  | "lets the last event win"
  | "refuses unknown types"
  | "refuses unknown members"
  | "works before it responds"
  | "redirects"
  | "is lost after what is no JSON";

interface HabitualReceiver extends Disposable {
  readonly url: string;
  readonly probe: string;
}

/** The secrets that a receiver knows: its own, that of a rotation, and a retired one. */
export const [OWN, OTHER, RETIRED] = ["own", "other", "retired"].map(
  (text) => `whsec_${Buffer.alloc(32, text).toString("base64")}`,
) as [string, string, string];

const TOLERANCE_SECONDS = 300;
/** Longer than the tests' judge waits. */
const LONG_MS = 2_000;
const LATER_MS = 30;
const LONG_ID = /"animal"\s*:\s*\{\s*"id"\s*:\s*\d{17}/;
/** Longer than all else takes, and within the patience of the tests' judge. */
const LONGER_MS = 400;
const MEMBERS: ReadonlySet<string> = new Set(["id", "type", "at", "animal"]);
const TYPES: ReadonlySet<string> = new Set(["animal.created", "animal.status_changed"]);

interface Told {
  readonly id: number;
  readonly type: string;
  readonly animal: { readonly status: string };
}

/** What a receiver does besides keeping what it gets. */
export interface Work {
  /** Gets the id of the event's animal, in digits. */
  onAct(animal: string): void;
}

/** A receiver on a free port, good but for its habits; gone with `using`. */
export function startHabitualReceiver(...habits: readonly (Habit | Work)[]): HabitualReceiver {
  const does = (habit: Habit) => habits.includes(habit);
  const work = habits.filter((each): each is Work => typeof each === "object");
  const acted: string[] = [];
  const seen = new Set<string>();
  const forged = new Set<string>();
  const animals = new Map<string, { status: string; event: number }>();
  let highest = 0;
  let isLost = false;

  const act = (id: string, { id: event, animal: { status } }: Told, body: string) => {
    if (does("acts never")) return;
    if (does("keeps the highest id") && event <= highest) return;
    highest = Math.max(highest, event);
    acted.push(id);
    const [, digits = ""] = /"animal"\s*:\s*\{\s*"id"\s*:\s*(\d+)/.exec(body) ?? [];
    const animal = does("rounds") ? `${BigInt(Number(digits))}` : digits;
    for (const each of work) each.onAct(animal);
    const isNewer = event > (animals.get(animal)?.event ?? 0) || does("lets the last event win");
    if (isNewer) animals.set(animal, { status, event });
  };

  const respond = async (request: Request): Promise<number> => {
    const body = await request.text();
    const id = request.headers.get("webhook-id") ?? "";
    if (isLost) return 500;
    if (does("accepts everything")) return 200;
    if (does("refuses everything")) return 400;
    if (does("refuses by chance")) return Math.random() < 0.5 ? 200 : 400;
    if (does("redirects")) return 307;
    if (does("acts before it checks") && /^\{"id".*\}$/.test(body) && !seen.has(id)) {
      act(id, JSON.parse(body), body);
      seen.add(id);
    }
    const isKnown = seen.has(id);
    if (does("notes the id before it checks")) seen.add(id);
    if (!isGenuine(body, request.headers, does)) {
      forged.add(id);
      if (does("throws at what is wrong")) return 500;
      return does("wants no more of what is wrong") ? 410 : 401;
    }
    if (does("works before it responds")) await Bun.sleep(LONG_MS);
    if (isKnown && does("refuses repetitions")) return 409;
    let told: Told;
    try {
      told = JSON.parse(body);
    } catch {
      isLost = does("is lost after what is no JSON");
      return 400;
    }
    if (!TYPES.has(told.type)) return does("refuses unknown types") ? 422 : 204;
    if (does("refuses unknown members") && Object.keys(told).some((member) => !MEMBERS.has(member)))
      return 422;
    if (isKnown && !does("acts twice")) return 204;
    // What it keeps with the response, so that a repetition in between is known.
    seen.add(id);
    const isLonger = does("works longer after a forgery") && forged.has(id);
    if (isLonger) setTimeout(() => act(id, told, body), LONGER_MS);
    else if (does("works longer on long ids") && LONG_ID.test(body))
      setTimeout(() => act(id, told, body), LONG_MS);
    else if (does("works later")) setTimeout(() => act(id, told, body), LATER_MS);
    else act(id, told, body);
    return 204;
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "POST") {
        const status = await respond(request).catch(() => 500);
        return new Response(null, { status, headers: status === 307 ? { location: "/elsewhere" } : {} });
      }
      const statuses = [...animals].map(([id, { status }]) => [id, status]);
      return Response.json({
        acted,
        ...(!does("shows no animals") && { animals: Object.fromEntries(statuses) }),
      });
    },
  });
  return {
    url: `${server.url}hooks`,
    probe: `${server.url}probe`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function isGenuine(body: string, headers: Headers, does: (habit: Habit) => boolean): boolean {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headers.get(`webhook-${name}`),
  );
  if (does("takes deliveries without a signature") && signatures === null) return true;
  if (!id || !timestamp || !signatures) return false;
  const age = Date.now() / 1000 - Number(timestamp);
  if (Number.isNaN(age) && !does("takes what is no number for now") && !does("checks no age")) return false;
  if (age > TOLERANCE_SECONDS && !does("checks no age")) return false;
  if (age < -TOLERANCE_SECONDS && !does("checks no age") && !does("checks that it is not old")) return false;
  const signed = does("signs what it writes again") ? writtenAgain(body) : body;
  const secrets = [
    OWN,
    ...(does("knows one secret") ? [] : [OTHER]),
    ...(does("knows the retired secret") ? [RETIRED] : []),
  ];
  const given = signatures.split(" ").slice(0, does("looks at the first signature") ? 1 : undefined);
  return secrets.some((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${signed}`).digest("base64");
    return given.some((each) => isRight(each, digest, does));
  });
}

function isRight(given: string, digest: string, does: (habit: Habit) => boolean): boolean {
  if (does("takes any version")) return given.includes(digest);
  if (does("compares the beginning")) return given.startsWith("v1,") && `v1,${digest}`.startsWith(given);
  if (does("ignores case")) return given.toLowerCase() === `v1,${digest}`.toLowerCase();
  const [one, other] = [Buffer.from(given), Buffer.from(`v1,${digest}`)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function writtenAgain(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
