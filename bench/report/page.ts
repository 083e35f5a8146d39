import { CONNECTIONS } from "../experiments/clients.ts";
import { feed } from "../experiments/feed.ts";
import { orders } from "../experiments/orders.ts";
import { SCENARIOS } from "../experiments/scenarios.ts";
import { statusChanges } from "../experiments/status-changes.ts";
import { OURS } from "../sides/animal-store.ts";
import { rust } from "../sides/native.ts";
import { type Report, renderAims, renderMachine, renderRun } from "./report.ts";
import type { Row, Section } from "./section.ts";
import { number, renderSection, show, table } from "./text.ts";

const NOT_MEASURED = "Not measured yet.";

/** The experiments on orders and events. */
const CHANGES: readonly string[] = [orders, statusChanges, feed].map(({ name }) => name);

const BLOCK = /(<!-- figures: ([a-z]+) -->\n)[\s\S]*?(<!-- \/figures -->)/g;

/**
 * Fills the marked blocks of a page with figures.
 *
 * @throws when a block has an unknown name, or the page has no block
 */
export function renderPage(page: string, report: Report): string {
  let blocks = 0;
  const filled = page.replace(BLOCK, (_, begin: string, name: string, end: string) => {
    const render = BLOCKS[name];
    if (!render) throw new Error(`there are no figures called ${name}`);
    blocks++;
    return `${begin}\n${render(report)}\n\n${end}`;
  });
  if (blocks === 0) throw new Error("the page has no mark like <!-- figures: alternatives -->");
  return filled;
}

const BLOCKS: Readonly<Record<string, (report: Report) => string>> = {
  alternatives: ({ sections }) => renderAlternatives(sections),
  aims: ({ sections }) => renderAims(sections.filter(({ name }) => isLoad(name))),
  clients: ({ sections }) => renderClients(sections),
  latency: ({ sections }) => renderNamed(sections, (name) => name === "latency"),
  medians: ({ sections }) => renderMedians(sections),
  start: ({ sections }) => renderNamed(sections, (name) => name === "start"),
  postgres: ({ sections }) => renderNamed(sections, (name) => name.startsWith("postgres-")),
  changes: ({ sections }) => renderNamed(sections, (name) => CHANGES.includes(name)),
  loads: ({ sections }) => renderNamed(sections, isLoad),
  runs: ({ machine, sections }) => {
    const runs = new Set(sections.flatMap(({ run }) => (run ? [renderRun(run)] : [])));
    return [...renderMachine(machine), ...runs].map((line) => `- ${line}`).join("\n");
  },
};

function isLoad(name: string): boolean {
  return SCENARIOS.some((each) => each.name === name);
}

/** The CPU time of each server for a request, as a multiple of ours; ours in microseconds. */
function renderAlternatives(sections: readonly Section[]): string {
  const loads = SCENARIOS.flatMap(({ name }) => sections.find((section) => section.name === name) ?? []);
  const names = new Set(loads.flatMap(({ rows }) => rows.map(({ name }) => name)));
  const rows = [...names].map((name) => [
    name,
    ...loads.map(({ rows }) => {
      const [own, ours] = [name, OURS.name].map((each) => cpuOf(rows, each));
      if (own === undefined || ours === undefined) return "";
      return name === OURS.name ? `${number(own, 1)} µs` : `${number(own / ours, 2)} ×`;
    }),
  ]);
  return table(["CPU for a request", ...loads.map(({ name }) => name)], rows);
}

function cpuOf(rows: readonly Row[], name: string): number | undefined {
  return rows.find((row) => row.name === name)?.figures.cpuPerRequest?.median;
}

/** CPU time for each request as a ratio to the server in Rust, by the number of connections. */
function renderClients(sections: readonly Section[]): string {
  const rows = SCENARIOS.flatMap(({ name }) => {
    const section = sections.find((each) => each.name === `clients-${name}`);
    return (section?.rows ?? [])
      .filter((row) => row.name !== rust.name)
      .map((row) => [
        name,
        row.name,
        ...CONNECTIONS.map((count) => {
          const ratio = row.figures[`ratio${count}`];
          return ratio ? show(ratio, 2) : "";
        }),
      ]);
  });
  if (rows.length === 0) return NOT_MEASURED;
  return table(["load", `CPU / ${rust.name}`, ...CONNECTIONS.map((count) => `${count} conn.`)], rows);
}

/** The latencies that most readers ask for: medians without their ranges. */
function renderMedians(sections: readonly Section[]): string {
  const latency = sections.find(({ name }) => name === "latency");
  if (!latency) return NOT_MEASURED;
  const columns = latency.columns.filter(({ key }) => !key.endsWith("-p999"));
  const rows = latency.rows.map(({ name, figures }) => [
    name,
    ...columns.map(({ key, digits }) => {
      const value = figures[key];
      return value ? number(value.median, digits) : "";
    }),
  ]);
  return table(["", ...columns.map(({ label }) => label)], rows);
}

function renderNamed(sections: readonly Section[], wanted: (name: string) => boolean): string {
  const found = sections.filter(({ name }) => wanted(name));
  return found.length === 0 ? NOT_MEASURED : found.map(renderSection).join("\n\n");
}
