import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { startRelayProcess } from "../relay/relay-process.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Metrics, type Sample } from "../support/metrics.ts";
import { serve } from "../support/program.ts";
import { isSelected, readQuery } from "./promql.ts";

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
const OF_TARGET = { job: "animal-store", instance: "127.0.0.1:9180" };
const OF_RELAY = { job: "animal-store-relay", instance: "127.0.0.1:9465" };
const UP: Sample = { name: "up", labels: {}, value: 1 };

/** The series of a service and of a relay that have just started: no client has sent anything. */
let samples: readonly Sample[];
let metrics: Metrics;
beforeAll(async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "backups"));
  const env = { METRICS_PORT: "0", BACKUP_EVERY: "1d", BACKUP_DIR: "./backups", STABILITY: "experimental" };
  await using service = await serve({ cwd: folder.path, env });
  await service.says('"msg":"backups');
  metrics = await Metrics.at(/"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "");
  const { address, key } = service;
  await using relay = startRelayProcess({
    cwd: folder.path,
    address,
    key,
    to: "http://127.0.0.1:1/",
    args: ["--metrics-port", "0"],
  });
  const [, ofRelay = ""] = await relay.says(/"metrics":"([^"]+)"/);
  const seriesOf = (found: Metrics, target: Sample["labels"]) =>
    [UP, ...found.samples].map((each) => ({ ...each, labels: { ...each.labels, ...target } }));
  samples = [...seriesOf(metrics, OF_TARGET), ...seriesOf(await Metrics.at(ofRelay), OF_RELAY)];
});

/**
 * Holds a query to the series that a service has from its start. Prometheus sees no increase from a series that did not
 * exist before, and an alert on a series that is missing never fires.
 */
function expectAnswerable(query: string, shownLabels: readonly string[] = []): void {
  const { selectors, grouping } = readQuery(query);
  expect(selectors).not.toEqual([]);
  for (const selector of selectors) {
    const selected = samples.filter(
      ({ name, labels }) => name === selector.metric && isSelected(selector, labels),
    );
    expect(selected, `no series for ${JSON.stringify(selector)}`).not.toEqual([]);
    for (const { label, operator, value } of selector.matchers) {
      // Each alternative of an expression, and each excluded value, is a value that the label can have.
      const known = samples.flatMap(({ name, labels }) =>
        name === selector.metric ? (labels[label] ?? []) : [],
      );
      const alternatives = operator.endsWith("~") ? value.split("|") : [value].filter((text) => text !== "");
      for (const each of alternatives)
        expect(
          known.some((text) => new RegExp(`^(?:${each})$`).test(text)),
          `${label} ${each}`,
        ).toBe(true);
    }
  }
  const labels = samples.flatMap((sample) =>
    selectors.some(({ metric }) => metric === sample.name) ? Object.keys(sample.labels) : [],
  );
  for (const label of [...grouping, ...shownLabels]) expect(labels).toContain(label);
}

describe("alerts", () => {
  const names = rules.map(({ alert }) => alert);
  for (const { alert, expr, labels, annotations } of rules) {
    test(`${alert} has its series from the start, and operations.md says what to do`, () => {
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

describe("the dashboard's panels", () => {
  for (const { title, expr, legendFormat } of targets) {
    test(`${title}: ${legendFormat} has its series from the start`, () => {
      expectAnswerable(
        expr,
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string),
      );
    });
  }
});

test("a scrape of a service that has just started is smaller than 100 KB", () => {
  expect(metrics.text.length).toBeLessThan(100_000);
});

test("a query that no series answers is found", () => {
  expect(readQuery('sum by (a) (rate(b_total{c="d",e=~"f|g"}[5m])) / h')).toEqual({
    selectors: [
      {
        metric: "b_total",
        matchers: [
          { label: "c", operator: "=", value: "d" },
          { label: "e", operator: "=~", value: "f|g" },
        ],
      },
      { metric: "h", matchers: [] },
    ],
    grouping: ["a"],
  });
  expect(() => readQuery("sum(rate(b_total[5m])")).toThrow();
  for (const query of [
    "no_such_metric",
    'animal_store_ready{no_such_label="a"}',
    "sum by (no_such_label) (animal_store_ready)",
    'animal_store_error_events_total{event="no_such_event"}',
    'animal_store_error_events_total{event!~"backup_failed|no_such_event"}',
    'animal_store_auth_failures_total{reason=~"expired|no_such_reason"}',
  ])
    expect(() => expectAnswerable(query), query).toThrow();
});
