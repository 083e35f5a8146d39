import type { z } from "zod";

/** What is wrong with each member of an object, each with what would be right. */
export function problemsOf({ issues }: z.ZodError, object: object): string[] {
  return issues.map(({ path, message }) => {
    const missing = path.length === 1 && !(String(path[0]) in object);
    return `\`${path.join(".")}\` ${missing ? "is required and " : ""}${message}`;
  });
}
