const { request } = require("node:http");

// A space of a sandbox, as a test has it. sandbox.d.cts describes it.

/** As many requests as the journal shows at once. */
const SHOWN_MAX = 1000;
/** Of the requests that were not meant: more would hide the one that was. */
const NEAREST = 3;

exports.makeSpace = async function makeSpace({ baseUrl, control }) {
  const made = await call(control, undefined, "POST", "/spaces");
  const { space: name, keys } = made;
  const apiKey = keys[0].key;
  const order = (...rest) => call(control, apiKey, ...rest);
  const read = (filter) => order("GET", `/requests?${queryOf(filter)}`);

  const requests = async (filter = {}) => {
    const found = [];
    for (;;) {
      const page = await read({ ...filter, after: found.at(-1)?.id, limit: SHOWN_MAX });
      if (page.dropped > 0) throw new Error(`the journal no longer has the first ${page.dropped} requests`);
      found.push(...page.requests);
      if (page.requests.length === page.count) return found;
    }
  };
  const expectRequests = async (filter, count) => {
    const found = await requests(filter);
    if (count === undefined ? found.length > 0 : found.length === count) return found;
    const { nearest } = await read({ ...filter, limit: 0, nearest: NEAREST });
    throw new Error(unexpected(filter, count, found, nearest));
  };

  const changeClock = async (change) => new Date((await order("PUT", "/clock", change)).now);
  const clock = {
    now: async () => new Date((await order("GET", "/clock")).now),
    set: (now) => changeClock({ now: now instanceof Date ? now.toISOString() : now }),
    advance: (advance) => changeClock({ advance }),
    freeze: () => changeClock({ frozen: true }),
    reset: () => order("DELETE", "/clock"),
  };

  const faults = async (...planned) => (await order("PUT", "/faults", { faults: planned })).faults;
  const deliverTo = (url, options = {}) =>
    order("POST", "/deliveries", { url: `${url.href ?? url}`, ...options });
  const deliveries = async (filter = {}) => {
    const { atLeast = 0 } = filter;
    // The list keeps no more than it shows.
    const query = queryOf({ ...filter, limit: SHOWN_MAX });
    const { deliveries: found, dropped } = await order("GET", `/deliveries?${query}`);
    if (dropped > 0) throw new Error(`the list no longer has the first ${dropped} deliveries`);
    const ended = found.filter(({ outcome }) => outcome !== null);
    if (ended.length >= atLeast) return found;
    throw new Error(
      [
        `expected at least ${atLeast} deliveries, and ${ended.length || "none"} had ended`,
        ...found.map((each) => `  ${deliveryLineOf(each)}`),
      ].join("\n"),
    );
  };
  const reset = () => order("POST", "/reset");
  const remove = () => call(control, undefined, "DELETE", `/spaces/${name}`);
  const actions = {
    clock,
    faults,
    requests,
    expectRequests,
    deliverTo,
    deliveries,
    reset,
    remove,
    [Symbol.asyncDispose]: remove,
  };
  return { name, baseUrl, apiKey, keys, ...actions };
};

/**
 * Calls the control interface. Not by `fetch`, since tests replace that, and Jest's browser environment has none; and on a
 * connection of its own, which keeps no process alive.
 */
function call(control, apiKey, method, path, value) {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      "content-type": "application/json",
    };
    const sent = request(control + path, { method, headers, agent: false }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const result = text === "" ? undefined : JSON.parse(text);
        if (response.statusCode < 300) resolve(result);
        else reject(new Error(`the sandbox refused this: ${result.message}`));
      });
    });
    sent.on("error", reject);
    sent.end(value && JSON.stringify(value));
  });
}

function queryOf(filter) {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** What a failed expectation says: the requests that it counted, and those that came nearest. */
function unexpected(filter, count, found, nearest) {
  const conditions = Object.entries(filter).map(([name, value]) => `${name} ${JSON.stringify(`${value}`)}`);
  const wanted = `${count ?? "some"} ${count === 1 ? "request" : "requests"}`;
  const having = conditions.length > 0 ? ` with ${conditions.join(", ")}` : "";
  const differences = (differs) =>
    Object.entries(differs).map(([name, value]) =>
      value === null ? `it has no ${name}` : `its ${name} is ${JSON.stringify(value)}`,
    );
  return [
    `expected ${wanted}${having}, and there ${found.length === 1 ? "was" : "were"} ${found.length || "none"}`,
    ...found.map((each) => `  ${lineOf(each)}`),
    ...(nearest.length > 0 ? ["these come nearest:"] : []),
    ...nearest.map((each) => `  ${lineOf(each.request)}: ${differences(each.differs).join(", ")}`),
  ].join("\n");
}

function lineOf({ id, method, target, fault, response }) {
  const status = response ? ` got ${response.status}` : " got no response";
  return `#${id} ${method} ${target}${status}${fault ? ` with the fault ${fault.fault}` : ""}`;
}

function deliveryLineOf({ id, event, eventId, attempt, fault, response, error, outcome }) {
  const result = outcome === null ? "is under way" : response ? `got ${response.status}` : error;
  const hit = fault ? ` with the fault ${fault.fault}` : "";
  return `#${id} ${event} ${eventId}, attempt ${attempt}${hit}: ${result}`;
}
