import type { Tool } from "./tool.ts";

/** What a test of a client may need of the tool that it runs against, each with a program that finds out. */
export const PROBES: Readonly<Record<string, (tool: Tool) => Promise<boolean>>> = {
  "a create is in the next list": async ({ call }) => {
    await call("POST", "/pets", '{"name":"Quokka","categoryId":1}');
    return (await namesIn(call)).includes("Quokka");
  },

  "9223372036854775807 comes back": async ({ call }) =>
    (await call("POST", "/pets", '{"name":"Max","categoryId":9223372036854775807}')).body.includes(
      "9223372036854775807",
    ),

  "each fault of a body is named": async ({ call }) => {
    const { status, body } = await call("POST", "/pets", '{"name":"","categoryId":"one"}');
    return status >= 400 && status < 500 && body.includes("name") && body.includes("categoryId");
  },

  "a create that is sent twice happens once": async ({ call }) => {
    const send = () =>
      call("POST", "/pets", '{"name":"Twin","categoryId":1}', { "Idempotency-Key": "twin-1" });
    for (let sent = 0; sent < 2; sent++) await send();
    return (await namesIn(call)).filter((name) => name === "Twin").length === 1;
  },

  "a response is lost on demand": async ({ call, loseNextResponse }) => {
    if (!loseNextResponse) return false;
    await loseNextResponse();
    return (await call("POST", "/pets", '{"name":"Lost","categoryId":1}')).status === 0;
  },

  "and what it answered was done": async ({ call }) => (await namesIn(call)).includes("Lost"),

  "it shows what a client sent": async ({ call, creates }) => {
    const before = await creates?.();
    await call("POST", "/pets", '{"name":"Seen","categoryId":1}');
    return before !== undefined && (await creates?.()) === before + 1;
  },
};

async function namesIn(call: Tool["call"]): Promise<string[]> {
  const { body } = await call("GET", "/pets?limit=100");
  return [...body.matchAll(/"name": ?"([^"]*)"/g)].map(([, name = ""]) => name);
}
