import { CommandFailure } from "./failure.ts";

/** Writes to standard output; a command whose answer nobody got has failed. */
export async function print(text: string): Promise<void> {
  // The runtime takes writing nothing to a file for emptying it, whatever stood there before.
  if (text === "") return;
  try {
    await Bun.write(Bun.stdout, text);
  } catch (error) {
    throw new CommandFailure(`standard output cannot be written: ${(error as Error).message}`, 1, {
      cause: error,
    });
  }
}

/** Tells a person something that is not the answer itself; `console.error` would paint it red. */
export async function explain(text: string): Promise<void> {
  // Where nobody listens there is nobody to tell that either.
  await Bun.write(Bun.stderr, `${text}\n`).catch(() => {});
}
