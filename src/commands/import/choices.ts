import { parseCount } from "../../cli/counts.ts";
import { formatOf } from "../../cli/file-format.ts";
import type { Options } from "../../cli/store-command.ts";
import type { Format } from "../../formats/format.ts";
import { ID_CHOICES, type IdChoice } from "../../formats/row-ids.ts";
import { assertWritable } from "../../process/atomic-file.ts";
import { CommandFailure, wrongValue } from "../../process/errors.ts";
import { assertNotOfStore, isSameFile } from "../../process/same-file.ts";

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

/** @throws CommandFailure for a flag that cannot be obeyed, or a file that is a store's */
export function readImportChoices(file: string, options: Options): ImportChoices {
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
  const force = options.force === true;
  const skipBad = options.skipBad as string | undefined;
  // Reading a file of the store itself would drop SQLite's locks on it (POSIX).
  if (file !== "-") assertNotOfStore(file, "read");
  if (skipBad !== undefined && isSameFile(skipBad, file)) {
    throw new CommandFailure(`${skipBad} is the imported file itself; name another file for its bad rows.`);
  }
  if (skipBad !== undefined) assertWritable(skipBad, { replace: force });
  return {
    file,
    format: formatOf(file, options.format as string | undefined),
    ids,
    dryRun: options.dryRun === true,
    skipBad,
    force,
    commitEvery:
      commitEvery === undefined ? Number.MAX_SAFE_INTEGER : parseCount(commitEvery, "--commit-every"),
    again: options.again === true,
  };
}
