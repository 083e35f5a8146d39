import type { OpenApi } from "./openapi.ts";
import { comment, format, NOTICE, pascalCase } from "./source.ts";

/** `client/errors-by-code.ts`: a class for each code of the service's errors. */
export function clientErrors(document: OpenApi): string {
  const codes = document.components.schemas.Error?.properties?.code?.["x-extensible-enum"] ?? [];
  const help = helpByCode(document);
  const classes = codes.map((code) => {
    const head = comment(`\`${code}\`${help.has(code) ? `: ${help.get(code)}` : "."}`);
    return `${head}export class ${className(code)} extends ServiceError {\ndeclare readonly code: "${code}";\n}\n\n`;
  });
  const entries = codes.map((code) => `${className(code)},\n`);
  return format(
    [
      NOTICE,
      'import { ServiceError } from "./errors.ts";\n\n',
      ...classes,
      "/** The class of each code, by its name: a bundler that renames classes keeps the names of members. */\n",
      `export const ERROR_CLASSES: Readonly<Record<string, typeof ServiceError>> = {\n${entries.join("")}};\n`,
    ].join(""),
  );
}

/** `AnimalNotFoundError` for `animal_not_found`, `InternalError` for `internal_error`. */
function className(code: string): string {
  return `${pascalCase(code).replace(/Error$/, "")}Error`;
}

/** What a client's developer does about each code, from the examples of the document. */
function helpByCode({ components }: OpenApi): Map<string, string | undefined> {
  return new Map(
    Object.entries(components.examples ?? {}).map(([code, { description }]) => [code, description]),
  );
}
