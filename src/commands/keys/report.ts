import type { Output } from "../../cli/output.ts";
import { type ApiKey, dateOfDay, type ListedKey } from "../../domain/api-key.ts";
import { rfc3339 } from "../../domain/time.ts";
import { CommandFailure } from "../../process/errors.ts";
import { isOutputDiscarded } from "../../process/standard-output.ts";

/** A key as `--json` shows it. */
export function describeKey(key: ApiKey): Record<string, unknown> {
  const { id, line, environment, name, scopes, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    line,
    name,
    environment,
    scopes,
    createdAt: rfc3339(createdAt),
    expiresAt: expiresAt === null ? null : rfc3339(expiresAt),
    revokedAt: revokedAt === null ? null : rfc3339(revokedAt),
  };
}

/** A key of a list as `--json` shows it. */
export function describeListedKey(key: ListedKey): Record<string, unknown> {
  return { ...describeKey(key), lastUsedOn: lastUsedOn(key) };
}

/** The date on which a key was last used, if any. */
export function lastUsedOn({ lastUsedDay }: ListedKey): string | null {
  return lastUsedDay === null ? null : dateOfDay(lastUsedDay);
}

/**
 * Refuses to make a key that nobody would see.
 *
 * @throws CommandFailure
 */
export function assertKeyIsShown(): void {
  if (isOutputDiscarded()) {
    throw new CommandFailure(
      "standard output is closed or /dev/null, and the key is shown there only once; no key was created. " +
        "Send it to a file or a pipe.",
    );
  }
}

/** Prints a new key, alone or with its facts, and then an explanation. */
export async function printNewKey(
  output: Output,
  facts: Readonly<Record<string, unknown>>,
  explanation: string,
): Promise<void> {
  const { id, key } = facts;
  try {
    await output.answer(facts, `${key}\n`);
  } catch (error) {
    const advice = `Nobody has seen key ${id}: revoke it with \`keys revoke ${id}\`.`;
    throw new CommandFailure(`${(error as Error).message}. ${advice}`, 1, { cause: error });
  }
  await output.explain(`${explanation} It is shown only this once.`);
}

/** The outcome of a command that is interrupted while the store adds the key. */
export function maybeCreated(storeName: string): string {
  return `Either no key was created in ${storeName}, or a key that nobody has seen: \`keys list\` shows it.`;
}

/** The outcome of a command that is interrupted once the store has added the key. */
export function created({ id }: ApiKey, storeName: string): string {
  return `Key ${id} of ${storeName} was created. If it was not shown, revoke it with \`keys revoke ${id}\`.`;
}
