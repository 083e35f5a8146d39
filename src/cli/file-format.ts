import { extname } from "node:path";
import { FORMATS, type Format } from "../formats/format.ts";
import { CommandFailure, wrongValue } from "../process/errors.ts";

const EXTENSIONS: Readonly<Record<string, Format>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

/** The format of a file of animals or orders: what `--format` says, or else what the file's name says. */
export function formatOf(file: string, given: string | undefined): Format {
  const known = FORMATS.find((format) => format === (given ?? EXTENSIONS[extname(file).toLowerCase()]));
  if (known !== undefined) return known;
  const names = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(FORMATS);
  if (given !== undefined) throw wrongValue("--format", given, `be ${names}`);
  const name = file === "-" ? "a stream has no name that shows" : `the name ${file} does not show`;
  throw new CommandFailure(`${name} its format; add --format ${names}.`, 2);
}
