import { PROBES } from "./probes.ts";
import type { Tool } from "./tool.ts";

/** What docs/comparison.md says of a tool in its first table: the row, the words, and a program that finds it out. */
type Cell = readonly [row: string, words: string, isSo: (tool: Tool) => Promise<boolean>];

const isKept = PROBES["a create is in the next list"] as (tool: Tool) => Promise<boolean>;
const create = ({ call }: Tool, name: string, categoryId: string) =>
  call("POST", "/pets", `{"name":"${name}","categoryId":${categoryId}}`);

export const CELLS: Readonly<Record<string, readonly Cell[]>> = {
  "Prism 5.14": [
    [
      "a create is kept",
      "not at all: responses are examples from the document",
      async (tool) => !(await isKept(tool)),
    ],
    [
      "a body that breaks the rules",
      "refused",
      async (tool) =>
        (await create(tool, "", "1")).status >= 400 && (await create(tool, "Rex", "1")).status === 201,
    ],
    [
      "9223372036854775807",
      "read as a larger number, and refused",
      async (tool) => (await create(tool, "Max", "9223372036854775807")).status >= 400,
    ],
    ["API keys", "any text is accepted", async ({ call }) => (await call("GET", "/pets")).status === 200],
  ],
  "json-server 0.17": [
    ["a create is kept", "in a JSON file, rewritten whole for each create", isKept],
    [
      "a body that breaks the rules",
      "kept",
      async (tool) =>
        (await create(tool, "", "1")).status === 201 &&
        (await tool.call("GET", "/pets")).body.includes('"name": ""'),
    ],
    [
      "9223372036854775807",
      "becomes 9223372036854776000",
      async (tool) => (await create(tool, "Max", "9223372036854775807")).body.includes("9223372036854776000"),
    ],
    ["API keys", "none", async ({ call }) => (await call("GET", "/pets")).status === 200],
  ],
};
