import { argumentsOf, inputSchema, readArguments } from "./arguments.ts";
import { type Declared, operationsOf } from "./document.ts";
import type { Pages } from "./pages.ts";
import { bareSchema, shownSchema } from "./schema.ts";
import { annotationsOf, explained, failure, success, type Tool } from "./tool.ts";

/** What an agent needs of the control interface: not its spaces, whose keys are nobody's business but the tests'. */
const OFFERED = [
  "reset",
  "getClock",
  "setClock",
  "resetClock",
  "getFaults",
  "planFaults",
  "deleteFaults",
  "listRequests",
];

/** The tools that control a sandbox; none for a service that is no sandbox. */
export async function sandboxTools(pages: Pages, apiKey: string): Promise<Tool[]> {
  const authorization = { authorization: `Bearer ${apiKey}` };
  // The key chooses the space: all of these work on the one in which the operations work.
  const state = await pages.request("GET", "/_sandbox", { headers: authorization });
  await state.body?.cancel();
  if (!state.ok) return [];
  return operationsOf(await pages.json("/_sandbox/openapi.json"))
    .filter(({ id }) => OFFERED.includes(id))
    .map((declared) => sandboxTool(declared, pages, authorization));
}

function sandboxTool(declared: Declared, pages: Pages, headers: Readonly<Record<string, string>>): Tool {
  const { id, method, path, title, body, result } = declared;
  const name = `sandbox_${id}`;
  const known = argumentsOf(declared);
  return {
    shown: {
      name,
      title,
      description: `${title}. This sandbox alone has this tool. ${body?.description ?? ""}`.trim(),
      inputSchema: inputSchema(known),
      ...(result && { outputSchema: bareSchema(shownSchema(result)) }),
      annotations: annotationsOf(method),
    },
    onlyReads: method === "GET",
    async call(given, signal) {
      const values = readArguments(name, known, given);
      if (typeof values === "string") return failure(values);
      const query = new URLSearchParams();
      const members: Record<string, unknown> = {};
      for (const { name, in: place } of known) {
        const value = values.get(name);
        if (value === undefined) continue;
        if (place === "query") query.set(name, `${value}`);
        else members[name] = value;
      }
      try {
        const search = query.size > 0 ? `?${query}` : "";
        const response = await pages.request(method, path + search, {
          signal,
          headers: body ? { ...headers, "content-type": "application/json" } : headers,
          ...(body && { body: JSON.stringify(members) }),
        });
        const text = await response.text();
        if (!response.ok) return failure(refusalOf(text, response.status));
        return text === "" ? { content: [{ type: "text", text: "Done." }] } : success(JSON.parse(text));
      } catch (error) {
        signal.throwIfAborted();
        return failure(explained(error, name));
      }
    },
  };
}

function refusalOf(text: string, status: number): string {
  try {
    const { code, message } = JSON.parse(text) as { readonly code: string; readonly message: string };
    return `${code} (${status}): ${message}`;
  } catch {
    return `the response has the status ${status}`;
  }
}
