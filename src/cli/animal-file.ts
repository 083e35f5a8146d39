import { extname } from "node:path";
import type { ImportFormat } from "../formats/format.ts";
import { CommandFailure } from "./errors.ts";

const EXTENSIONS: Readonly<Record<string, ImportFormat>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

/** What a file is written in, of some formats: what `--format` says, else what its name says. */
export function formatOf<Known extends ImportFormat>(
  file: string,
  given: string | undefined,
  formats: readonly Known[],
): Known {
  const format = given === undefined ? EXTENSIONS[extname(file).toLowerCase()] : given;
  const known = formats.find((known) => known === format);
  if (known !== undefined) return known;
  const names = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(formats);
  throw new CommandFailure(
    given === undefined
      ? `${file === "-" ? "a stream" : file} does not say its format by its name; add --format ${names}.`
      : `--format is ${JSON.stringify(given)}; it must be ${names}.`,
    2,
  );
}

/** Writes a number for people: 1,000,000. */
export function written(count: number): string {
  return count.toLocaleString("en");
}

/** "1 animal", "1,000 animals". */
export function animals(count: number): string {
  return `${written(count)} ${count === 1 ? "animal" : "animals"}`;
}

/** Reads a whole number of at least 1 from a flag. */
export function parseCount(text: string, flag: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new CommandFailure(`${flag} is ${JSON.stringify(text)}; it must be a whole number of at least 1.`, 2);
}
