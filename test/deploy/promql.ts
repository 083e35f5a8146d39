import { parser } from "@prometheus-io/lezer-promql";

/** A metric as a query selects it: its name, and the labels that are matched or grouped by anywhere in the query. */
export interface Queried {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

/** Grafana's own, which it fills in before it asks. */
const VARIABLES = /\$__rate_interval|\$__interval/g;

/**
 * What a query in PromQL asks for.
 *
 * @throws where it is none
 */
export function readQuery(query: string): Queried {
  const text = query.replace(VARIABLES, "5m");
  const metrics = new Set<string>();
  const labels = new Set<string>();
  parser.parse(text).iterate({
    enter({ type, name, from, to, node }) {
      const written = text.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at character ${from}: ${query}`);
      if (name === "Identifier" && node.parent?.name === "VectorSelector") metrics.add(written);
      if (name === "LabelName") labels.add(written);
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}
