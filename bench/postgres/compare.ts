import { rotate } from "../contest.ts";
import type { Section } from "../report/section.ts";
import { quotients, spread } from "../spread.ts";
import type { Comparison, Sample, Side } from "./sample.ts";
import type { Stage } from "./stage.ts";

interface Length {
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures the sides in turns after one warm-up run each; each round starts with another side. */
export async function compare(
  stage: Stage,
  comparison: Comparison,
  { rounds, seconds }: Length,
): Promise<Section> {
  const { title, sides } = comparison;
  const samples = new Map<Side, Sample[]>(sides.map((side) => [side, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const side of rotate(sides, round)) {
      const sample = await measure(stage, side, round === 0 ? 1 : seconds, round);
      if (round > 0) samples.get(side)?.push(sample);
      console.error(`${title}, round ${round} of ${rounds}: ${side.name} ${Math.round(sample.perSecond)}/s`);
    }
  }
  return sectionOf(stage, comparison, samples);
}

async function measure(stage: Stage, side: Side, seconds: number, run: number): Promise<Sample> {
  const before = stage.cpu();
  const { operations, refusals, seconds: took, generatorCpuMicroseconds } = await side.drive(seconds, run);
  // PostgreSQL accounts for the connections of an ended pgbench once it has noticed their end.
  await Bun.sleep(200);
  const after = stage.cpu();
  return {
    perSecond: operations / took,
    serviceCpu: (after.service - before.service) / operations,
    postgresCpu: (after.postgres - before.postgres) / operations,
    generatorCores: generatorCpuMicroseconds / (took * 1e6),
    refusals,
  };
}

function sectionOf(
  { version }: Stage,
  { name, title, notes, sides, aims }: Comparison,
  samples: ReadonlyMap<Side, readonly Sample[]>,
): Section {
  const [first] = sides as [Side];
  const of = (side: Side, figure: keyof Sample) => (samples.get(side) ?? []).map((sample) => sample[figure]);
  const ratio = (side: Side) => quotients(of(side, "perSecond"), of(first, "perSecond"));
  const refused = sides.flatMap((side) => {
    const all = of(side, "refusals").reduce((total, count) => total + count, 0);
    return all > 0 ? [`${side.name}: ${all} answers were refusals, which do not count.`] : [];
  });
  // The version may have a package name behind it: "15.14 (Debian 15.14-0+deb12u1)".
  const [number = version] = version.split(" ");
  return {
    name: `postgres-${name}-${Number.parseInt(number, 10)}`,
    title: `${title}, on PostgreSQL ${number}`,
    notes: [...notes, ...refused],
    columns: [
      { key: "perSecond", label: "a second", digits: 0 },
      { key: "ratio", label: "to the first", digits: 2 },
      { key: "serviceCpu", label: "service, CPU µs", digits: 1 },
      { key: "postgresCpu", label: "PostgreSQL, CPU µs", digits: 1 },
      { key: "generatorCores", label: "generator, cores", digits: 2 },
    ],
    rows: sides.map((side) => ({
      name: side.name,
      kind: side === first ? "peer" : "ours",
      figures: {
        perSecond: spread(of(side, "perSecond")),
        ...(side !== first && { ratio: ratio(side) }),
        serviceCpu: spread(of(side, "serviceCpu")),
        postgresCpu: spread(of(side, "postgresCpu")),
        generatorCores: spread(of(side, "generatorCores")),
      },
    })),
    findings: sides.flatMap((side) => {
      const least = aims[side.name];
      if (least === undefined) return [];
      const what = `PostgreSQL ${number}: ${side.name}, rate / ${first.name}`;
      return [{ what, value: ratio(side), digits: 2, aim: { atLeast: least } }];
    }),
  };
}
