import type { Format } from "../../formats/format.ts";
import { ID_CHOICES, type IdChoice } from "../../formats/row-ids.ts";
import { parseCount } from "../counts.ts";
import { CommandFailure, wrongValue } from "../errors.ts";
import { formatOf } from "../file-format.ts";
import { assertNotStore, isSameFile } from "../same-file.ts";
import type { Options } from "../store-command.ts";

/** What the flags of an import ask for. */
export interface ImportChoices {
  /** `-` is standard input. */
  readonly file: string;
  readonly format: Format;
  readonly ids: IdChoice;
  readonly dryRun: boolean;
  /** The file for bad rows, if they may be skipped. */
  readonly skipBad: string | undefined;
  /** Whether the file for bad rows may exist already. */
  readonly force: boolean;
  readonly commitEvery: number;
  readonly again: boolean;
}

/**
 * @param url the store's
 * @throws CommandFailure for a flag that cannot be obeyed
 */
export function readImportChoices(file: string, options: Options, url: string): ImportChoices {
  const given = (options.ids as string | undefined) ?? "keep";
  const ids = ID_CHOICES.find((choice) => choice === given);
  if (ids === undefined) {
    throw wrongValue("--ids", given, `be ${ID_CHOICES.join(" or ")}`);
  }
  const commitEvery = options.commitEvery as string | undefined;
  if (commitEvery !== undefined && options.orders === true) {
    throw new CommandFailure(
      "--commit-every is for animals; orders are imported in one transaction: leave it out.",
      2,
    );
  }
  const skipBad = options.skipBad as string | undefined;
  if (skipBad !== undefined) assertNotStore(skipBad, url);
  if (skipBad !== undefined && isSameFile(skipBad, file)) {
    throw new CommandFailure(`${skipBad} is the imported file itself; name another file for its bad rows.`);
  }
  return {
    file,
    format: formatOf(file, options.format as string | undefined),
    ids,
    dryRun: options.dryRun === true,
    skipBad,
    force: options.force === true,
    commitEvery:
      commitEvery === undefined ? Number.MAX_SAFE_INTEGER : parseCount(commitEvery, "--commit-every"),
    again: options.again === true,
  };
}
