import type { Idempotency } from "../../domain/idempotency.ts";

interface RetryableWrite {
  readonly idempotency: Idempotency | undefined;
}

/** Writes of which no two have the same `Idempotency-Key`, and where each of the given ones is found among them. */
interface Distinct<Write> {
  readonly firsts: readonly Write[];
  readonly positions: readonly number[];
}

/** Leaves out writes that repeat the `Idempotency-Key` of one before them: a statement may claim a key only once. */
export function distinct<Write extends RetryableWrite>(writes: readonly Write[]): Distinct<Write> {
  const positionOf = new Map<string, number>();
  const firsts: Write[] = [];
  const positions = writes.map((write) => {
    const claim = write.idempotency && `${write.idempotency.line} ${write.idempotency.key}`;
    const earlier = claim === undefined ? undefined : positionOf.get(claim);
    if (earlier !== undefined) return earlier;
    if (claim !== undefined) positionOf.set(claim, firsts.length);
    return firsts.push(write) - 1;
  });
  return { firsts, positions };
}
