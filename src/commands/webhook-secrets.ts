import { readFile } from "node:fs/promises";
import { readSecrets, SECRET_PREFIX, type Secret } from "../../relay/secrets.ts";
import { CommandFailure, cannotRead } from "../process/errors.ts";

/** A secret's file is a line or two. */
const FILE_MAX_BYTES = 4096;

/**
 * Reads the secrets of deliveries from a file or a variable, since arguments are no place for them.
 *
 * @throws CommandFailure that names what is missing or wrong; none shows a part of a secret
 */
export async function webhookSecrets(
  file: string | undefined,
  variable: string | undefined,
): Promise<readonly Secret[]> {
  if (file === undefined && variable === undefined) {
    throw new CommandFailure(
      "the secret is missing; name its file with --secret-file, or set RELAY_SECRET.",
      2,
    );
  }
  if (file !== undefined && variable !== undefined) {
    throw new CommandFailure("RELAY_SECRET and --secret-file are both set; leave one out.", 2);
  }
  return file === undefined ? secretsIn("RELAY_SECRET", variable as string) : await secretsOfFile(file);
}

/** The secrets in a file. @throws CommandFailure if it cannot be read, or holds something else */
export async function secretsOfFile(file: string): Promise<readonly Secret[]> {
  // No message may show it.
  if (file.startsWith(SECRET_PREFIX)) {
    throw new CommandFailure(
      "a secret stands in the arguments, where everybody on this machine can read it; put it into a file, and name that.",
      2,
    );
  }
  const text = await readFile(file, "utf8").catch((error) => {
    throw cannotRead(file, error, 2);
  });
  if (text.length <= FILE_MAX_BYTES) return secretsIn(file, text);
  throw new CommandFailure(`${file} is no file of secrets: it has ${text.length} characters.`, 2);
}

function secretsIn(source: string, text: string): readonly Secret[] {
  const secrets = readSecrets(text);
  if (typeof secrets !== "string") return secrets;
  throw new CommandFailure(`${source} ${secrets}.`, 2);
}
