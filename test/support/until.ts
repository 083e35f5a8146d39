const LOOK_EVERY_MS = 5;

/** Resolves when something holds. Only the limit of the test ends it otherwise: a busy machine does not. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await Bun.sleep(LOOK_EVERY_MS);
}
