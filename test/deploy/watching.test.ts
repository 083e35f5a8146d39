import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type TemporaryFolder, temporaryFolder } from "../support/folder.ts";
import { Metrics } from "../support/metrics.ts";
import { type ServiceProcess, serve } from "../support/program.ts";
import { readQuery } from "./promql.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
const rules: Rule[] = parse(read("deploy/alerts.yaml")).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard: { panels: Panel[] } = JSON.parse(read("deploy/dashboard.json"));
const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map((target) => ({ title, ...target })),
);

/** What Prometheus adds to whatever it scrapes. */
const OF_PROMETHEUS = { metrics: ["up"], labels: ["instance", "job"] };

let folder: TemporaryFolder;
let service: ServiceProcess;
let metrics: Metrics;
beforeAll(async () => {
  folder = temporaryFolder();
  const env = { METRICS_PORT: "0", BACKUP_EVERY: "1s", BACKUP_DIR: "./backups" };
  service = await serve({ cwd: folder.path, env });
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const pets = `${service.address}/v1/pets`;
  expect((await fetch(pets, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' })).status).toBe(
    201,
  );
  expect((await fetch(pets, { headers })).status).toBe(200);
  expect((await fetch(pets)).status).toBe(401);
  await service.says('"msg":"backed up');
  metrics = await Metrics.at(/"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "");
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Holds a query to the metrics that a service has, and to their labels. */
function expectAnswerable(query: string, alsoLabels: readonly string[] = []): void {
  const queried = readQuery(query);
  expect(queried.metrics).not.toEqual([]);
  const known = [...OF_PROMETHEUS.metrics, ...metrics.samples.map(({ name }) => name)];
  for (const name of queried.metrics) expect(known).toContain(name);
  const labels = metrics.samples.flatMap((sample) =>
    queried.metrics.includes(sample.name) ? Object.keys(sample.labels) : [],
  );
  for (const label of [...queried.labels, ...alsoLabels])
    expect([...OF_PROMETHEUS.labels, ...labels]).toContain(label);
}

describe("alerts", () => {
  const names = rules.map(({ alert }) => alert);
  for (const { alert, expr, labels, annotations } of rules) {
    test(`${alert} asks for what there is, and operations.md says what to do`, () => {
      const told = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label as string);
      expectAnswerable(expr, told);
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(read("docs/operations.md")).toContain(`### ${alert}\n`);
    });
  }

  test("have a name each, and operations.md has no others", () => {
    expect(new Set(names).size).toBe(names.length);
    const told = [...read("docs/operations.md").matchAll(/^### (AnimalStore\w+)$/gm)].map(
      ([, name]) => name as string,
    );
    expect(told.sort()).toEqual(names.sort());
  });

  test("that match a label's value match an existing one", () => {
    const events = metrics.valuesOf("animal_store_error_events_total", "event");
    const matched = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/event!?=~?"([^"]+)"/g)].map(([, value]) => value ?? ""),
    );
    for (const event of matched.flatMap((value) => value.split("|"))) expect(events).toContain(event);
  });
});

test("operations.md explains every event that the error counter has", () => {
  const explained = [...read("docs/operations.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, event]) => event);
  // Two events have alerts of their own.
  const events = metrics
    .valuesOf("animal_store_error_events_total", "event")
    .filter((event) => event !== "request_failed" && event !== "store_failed");
  expect(events).toContain("descriptors_exhausted");
  expect(explained.sort()).toEqual(events.sort());
});

test("a service that has just started counts key refusals, cached reads and commits from 0", async () => {
  using place = temporaryFolder();
  await using started = await serve({ cwd: place.path, env: { METRICS_PORT: "0" } });
  const found = await Metrics.at(/"metrics":"([^"]+)"/.exec(started.output())?.[1] ?? "");
  expect(found.valuesOf("animal_store_auth_failures_total", "reason").sort()).toEqual([
    "expired",
    "malformed",
    "missing",
    "revoked",
    "unknown",
  ]);
  expect(found.valuesOf("animal_store_response_cache_total", "result").sort()).toEqual(["hit", "miss"]);
  expect(found.valuesOf("animal_store_commit_duration_seconds_count", "outcome").sort()).toEqual([
    "failed",
    "stored",
  ]);
});

describe("the dashboard's panels", () => {
  for (const { title, expr, legendFormat } of targets) {
    test(`${title}: ${legendFormat}`, () => {
      expectAnswerable(
        expr,
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string),
      );
    });
  }
});

test("an invalid query is found", () => {
  expect(readQuery('sum by (a) (rate(b_total{c="d"}[5m])) / e')).toEqual({
    metrics: ["b_total", "e"],
    labels: ["a", "c"],
  });
  expect(() => readQuery("sum(rate(b_total[5m])")).toThrow();
  expect(() => expectAnswerable("no_such_metric")).toThrow();
  expect(() => expectAnswerable('animal_store_ready{no_such_label="a"}')).toThrow();
});
