import { maskApiKeys } from "../domain/api-key.ts";

/** A text without these is a mistyped word, such as a command; any other may be a URL with a password in it. */
const IN_URLS = /[:=@/?]/;
const OPTION = /^--?[\w-]+(?: <[\w.]+>)?$/;

/** The message of the command line's library, which quotes what it does not know, without what may hold a secret. */
export function usageError(message: string): string {
  const shown = message.replace(/'(.*)'/s, (quoted, text: string) =>
    OPTION.test(text) || !IN_URLS.test(text) ? quoted : `'${/^--[\w-]+(?==)/.exec(text)?.[0] ?? ""}…'`,
  );
  return maskApiKeys(shown);
}
