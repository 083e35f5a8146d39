import { parser } from "@prometheus-io/lezer-promql";

/** A condition on a label. */
interface Matcher {
  readonly label: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

/** A metric as a query selects it. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** What a query asks for. */
interface Queried {
  readonly selectors: readonly Selector[];
  /** The labels that it groups by. */
  readonly grouping: readonly string[];
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
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter({ type, name, from, to, node }) {
      const written = text.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at character ${from}: ${query}`);
      if (name === "Identifier" && node.parent?.name === "VectorSelector")
        selectors.push({ metric: written, matchers: [] });
      if (name === "UnquotedLabelMatcher") selectors.at(-1)?.matchers.push(readMatcher(written));
      if (name === "LabelName" && node.parent?.name === "GroupingLabels") grouping.push(written);
    },
  });
  return { selectors, grouping };
}

function readMatcher(text: string): Matcher {
  const [, label = "", operator, quoted = ""] =
    /^(\w+)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")$/.exec(text) ?? [];
  if (operator === undefined) throw new Error(`not a label matcher: ${text}`);
  return { label, operator: operator as Matcher["operator"], value: JSON.parse(quoted) };
}

/** Whether Prometheus would select a series with these labels; to it, an absent label is an empty one. */
export function isSelected({ matchers }: Selector, labels: Readonly<Record<string, string>>): boolean {
  return matchers.every(({ label, operator, value }) => {
    const actual = labels[label] ?? "";
    const matches = operator.endsWith("~") ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
    return operator.startsWith("!") ? !matches : matches;
  });
}
