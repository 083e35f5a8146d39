/** One line of the text format: a name with its labels, and a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Served metrics, each line checked against the text format of Prometheus. */
export class Metrics {
  readonly text: string;
  readonly types = new Map<string, string>();
  readonly samples: readonly Sample[];

  constructor(text: string) {
    this.text = text;
    const samples: Sample[] = [];
    for (const line of text.split("\n")) {
      const [, about, name = "", rest = ""] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
      if (about === "TYPE") this.types.set(name, rest);
      else if (about === undefined && line !== "" && line !== "# EOF") samples.push(sampleOf(line));
    }
    this.samples = samples;
  }

  static async at(address: string): Promise<Metrics> {
    return new Metrics(await (await fetch(address)).text());
  }

  /** The metrics of a service that has begun with `METRICS_PORT=0`. */
  static of(service: { output(): string }): Promise<Metrics> {
    return Metrics.at(/"metrics":"([^"]+)"/.exec(service.output())?.[1] ?? "");
  }

  /** The sum of a metric's samples that have these labels, and perhaps others. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels);
    const found = this.samples.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
    return found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The distinct values of a metric's label. */
  valuesOf(name: string, label: string): string[] {
    const values = this.samples.flatMap((sample) =>
      sample.name === name ? (sample.labels[label] ?? []) : [],
    );
    return [...new Set(values)].sort();
  }
}

function sampleOf(line: string): Sample {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|\+Inf)$/.exec(line);
  if (!match) throw new Error(`no sample: ${line}`);
  const [, name = "", labels = "", value] = match;
  const pairs = [...labels.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g)];
  if (pairs.map(([pair]) => pair).join("") !== labels) throw new Error(`no labels: ${line}`);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])),
    value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value),
  };
}
