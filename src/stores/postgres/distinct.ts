import type { Create } from "../create.ts";

/** Creates of which no two have the same `Idempotency-Key`, and where each of the given ones is found among them. */
interface Distinct {
  readonly creates: readonly Create[];
  readonly places: readonly number[];
}

/** Leaves out creates that repeat the `Idempotency-Key` of one before them: a statement may claim a key only once. */
export function distinct(creates: readonly Create[]): Distinct {
  const placeOf = new Map<string, number>();
  const firsts: Create[] = [];
  const places = creates.map((create) => {
    const claim = create.idempotency && `${create.idempotency.line} ${create.idempotency.key}`;
    const earlier = claim === undefined ? undefined : placeOf.get(claim);
    if (earlier !== undefined) return earlier;
    if (claim !== undefined) placeOf.set(claim, firsts.length);
    return firsts.push(create) - 1;
  });
  return { creates: firsts, places };
}
