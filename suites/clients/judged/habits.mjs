// A client for the judge, good but for the habits that its arguments name. It reads all animals, creates a twin of Max,
// fetches it by its id and reads the first page again; then it does what the innocent habits add.
import { randomUUID } from "node:crypto";

const habits = new Set(process.argv.slice(2));
const base = process.env.ANIMAL_STORE_URL;
const known = new Map();
const reported = new Set();
const ATTEMPTS = 3;

class Refused extends Error {
  constructor(status, text) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

function mayRepeat(status) {
  if (habits.has("repeats nothing")) return false;
  if (status === undefined) return !habits.has("repeats after outages only");
  if (status < 500 && status !== 429) return habits.has("repeats refusals");
  return !habits.has("repeats after breaks only");
}

function pauseMs(headers) {
  if (habits.has("is impatient")) return 5;
  return 1000 * Number(headers?.get("retry-after") ?? 0.01);
}

/** One call: as many attempts as it takes. */
async function call(method, path, { body, headers = {}, caches = true } = {}) {
  const callHeaders = { ...headers };
  if (habits.has("names its calls")) callHeaders["x-request-id"] = randomUUID();
  for (let attempt = 1; ; attempt++) {
    let response;
    let text;
    try {
      response = await fetch(...requestOf(method, path, body, callHeaders, caches));
      text = await response.text();
    } catch (error) {
      if (attempt === ATTEMPTS || !mayRepeat()) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs()));
      continue;
    }
    report(response.headers);
    if (response.status === 304) return known.get(path);
    if (response.ok) {
      const answer = { text, headers: response.headers };
      if (method === "GET" && caches) known.set(path, answer);
      return answer;
    }
    if (attempt === ATTEMPTS || !mayRepeat(response.status)) throw new Refused(response.status, text);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(response.headers)));
    if (habits.has("makes a key for each attempt") && callHeaders["idempotency-key"])
      callHeaders["idempotency-key"] = randomUUID();
  }
}

function requestOf(method, path, body, callHeaders, caches) {
  const headers = { authorization: `Bearer ${process.env.API_KEY}`, ...callHeaders };
  if (body !== undefined) headers["content-type"] = "application/json";
  const etag = known.get(path)?.headers.get("etag");
  if (method === "GET" && caches && etag && !habits.has("asks for no tag"))
    headers["if-none-match"] = tagOf(etag);
  const address = habits.has("has its key in the address")
    ? `${path}${path.includes("?") ? "&" : "?"}api_key=${process.env.API_KEY}`
    : path;
  return [base + address, { method, headers, body }];
}

function tagOf(etag) {
  if (habits.has("invents tags")) return "banana";
  if (habits.has("asks about a tag of another list")) return known.get("/pets?limit=7").headers.get("etag");
  if (habits.has("asks about any tag")) return "*";
  return habits.has("asks about weak tags") ? `W/${etag.replace(/^W\//, "")}, "old"` : etag;
}

function report(headers) {
  if (!headers.has("deprecation") || habits.has("reports nothing")) return;
  if (reported.size === 0)
    console.warn(habits.has("reports the day") ? `Sunset: ${headers.get("sunset")}` : "getPet is deprecated");
  reported.add("getPet");
}

async function animalsOf(limit) {
  const animals = [];
  for (let path = `/pets?limit=${limit}`, page = 1; path; page++) {
    const { text, headers } = await call("GET", path);
    const found = [...text.matchAll(/"id":(\d+),"name":"([^"]*)","categoryId":(\d+)/g)];
    for (const [, id, name, categoryId] of found) animals.push({ id, name, categoryId });
    const next = /<[^>]*\/v1([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    path = habits.has("reads the first page only") ? undefined : next;
    if (habits.has("counts pages")) path = page < 3 ? `/pets?limit=${limit}&page=${page + 1}` : undefined;
  }
  return animals;
}

async function create(name, categoryId, key = randomUUID()) {
  const number = habits.has("rounds") ? String(Number(categoryId)) : categoryId;
  const headers = habits.has("sends no keys") ? {} : { "idempotency-key": key };
  const { text } = await call("POST", "/pets", {
    body: `{"name":"${name}","categoryId":${number}}`,
    headers,
  });
  return /"id":(\d+)/.exec(text)[1];
}

async function refused(status, attempt) {
  const error = await attempt().catch((error) => error);
  if (error?.status !== status) throw error;
}

/** What tests do, and no client should be blamed for. */
const INNOCENT = {
  "fetches order 999 in two tests": async () => {
    for (const _ of [1, 2]) await refused(404, () => call("GET", "/orders/999", { caches: false }));
  },
  "fetches three times in parallel": () =>
    Promise.all([1, 2, 3].map(() => call("GET", "/pets?status=sold", { caches: false }))),
  "creates two equal animals": async () => {
    for (const _ of [1, 2]) await create("Twin", "1");
  },
  "creates two equal animals in parallel": () => Promise.all([create("Twin", "1"), create("Twin", "1")]),
  "fixes the key of one test": async () => {
    for (const _ of [1, 2]) await create("Again", "1", "again-1");
  },
  "tests a cursor of its own": () => refused(400, () => call("GET", "/pets?cursor=nonsense")),
  "tests a body without a name": () =>
    refused(400, () => call("POST", "/pets", { body: '{"categoryId":1}' })),
  "lists again in a test without a cache": () => call("GET", "/pets?limit=10", { caches: false }),
  "runs next to a runtime that warns": () =>
    console.warn("(node:7) [DEP0040] DeprecationWarning: punycode is deprecated."),
  "has a test about deprecation": () => console.log("ok 3 - getPet is reported as deprecated (4 ms)"),
  "tests an integer out of range": () =>
    refused(400, () => call("POST", "/pets", { body: '{"name":"Rex","categoryId":9223372036854775808}' })),
  "asks for an unknown key's list": () =>
    refused(401, () => call("GET", "/pets", { headers: { authorization: "Bearer no" } })),
};

const CARELESS = {
  "always says deprecated": () => console.log("deprecated"),
  "ends with 1": () => {
    process.exitCode = 1;
  },
};

async function work() {
  if (habits.has("asks about a tag of another list")) await call("GET", "/pets?limit=7");
  const animals = await animalsOf(10);
  const max = animals.find(({ name }) => name === "Max") ?? animals.at(-1);
  const category = habits.has("sends an int64 that it never read") ? "9223372036854775807" : max.categoryId;
  const key = habits.has("has one key for all") ? "my-key" : randomUUID();
  const id = await create(
    habits.has("creates no animal of Max's kind") ? "Rex" : "Max's twin",
    habits.has("creates no animal of Max's kind") ? "7" : category,
    key,
  );
  if (!habits.has("fetches nothing by id")) await call("GET", `/pets/${id}`);
  await call("GET", "/pets?limit=10");
  for (const [habit, does] of Object.entries({ ...INNOCENT, ...CARELESS }))
    if (habits.has(habit)) await does();
}

if (habits.has("swallows failures")) await work().catch(() => {});
else await work();
