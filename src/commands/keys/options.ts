import { maskApiKeys, SCOPES, type Scope } from "../../domain/api-key.ts";
import { CommandFailure } from "../../process/errors.ts";

const NAME_MAX = 255;

/** Reads the name of a key. @throws CommandFailure */
export function readName(name: string): string {
  if (name.trim() === "" || name.length > NAME_MAX || /\p{Cc}/u.test(name)) {
    throw new CommandFailure(
      `--name must have 1 to ${NAME_MAX} characters, not only spaces and no control characters.`,
      2,
    );
  }
  if (maskApiKeys(name) !== name) {
    throw new CommandFailure("--name must contain no API key, since lists and clients show it.", 2);
  }
  return name;
}

/** Reads scopes separated by commas, in any order. @throws CommandFailure */
export function readScopes(text: string): Scope[] {
  const given = text.split(",").map((name) => name.trim());
  const unknown = given.find((name) => !SCOPES.some((scope) => scope === name));
  if (unknown === undefined) return SCOPES.filter((scope) => given.includes(scope));
  throw new CommandFailure(
    `--scopes names ${JSON.stringify(unknown)}; it must be some of ${SCOPES.join(",")}, separated by commas.`,
    2,
  );
}

/** Reads the id of a key. @throws CommandFailure */
export function readKeyId(id: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(id)) return Number(id);
  throw new CommandFailure(`${JSON.stringify(id)} is not a key's id; \`keys list\` shows the ids.`, 2);
}
