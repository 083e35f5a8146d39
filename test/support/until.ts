/** The pause of `until` between two looks. */
export const LOOK_EVERY_MS = 5;

/** Resolves when something holds. Only the limit of the test ends it otherwise: a busy machine does not. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await Bun.sleep(LOOK_EVERY_MS);
}

/** Calls again and again until an answer has a status: what a service looks at, it looks at from time to time. */
export async function untilStatus(call: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const answer = await call();
    if (answer.status === status) return answer;
    await answer.body?.cancel();
    await Bun.sleep(20);
  }
}
