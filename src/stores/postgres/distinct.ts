import type { Idempotency } from "../../domain/idempotency.ts";

interface RetryableWrite {
  readonly idempotency: Idempotency | undefined;
}

/** Writes with different `Idempotency-Key`s, and the position of each original write among them. */
interface Distinct<Write> {
  readonly firsts: readonly Write[];
  readonly positions: readonly number[];
}

/** Leaves out writes that repeat an earlier `Idempotency-Key`, since a statement can claim a key only once. */
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
