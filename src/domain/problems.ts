import type { z } from "zod";

/** The problem of each invalid member of an object, with the rule that it breaks. */
export function problemsOf({ issues }: z.ZodError, object: object): string[] {
  return issues.map(({ path, message }) => {
    const missing = path.length === 1 && !(String(path[0]) in object);
    return `\`${path.join(".")}\` ${missing ? "is required and " : ""}${message}`;
  });
}
