import { createReadStream, type Stats, statSync } from "node:fs";
import type { Output } from "../../cli/output.ts";
import type { RowKind } from "../../cli/row-kind.ts";
import type { RowProblem } from "../../domain/transfer.ts";
import { CsvReader } from "../../formats/csv-reader.ts";
import { UnreadableFile } from "../../formats/format.ts";
import { elementsAsLines } from "../../formats/json-array.ts";
import { NdjsonReader } from "../../formats/ndjson-reader.ts";
import { readRecords } from "../../formats/records.ts";
import { CommandFailure, cannotRead } from "../../process/errors.ts";
import { deliverSignals } from "../../process/on-signal.ts";
import type { ImportChoices } from "./choices.ts";
import type { Rejects } from "./rejects.ts";

/** With smaller pieces, parsing each costs more; with larger ones, progress and signals come late. */
const PIECE_BYTES = 256 * 1024;

/** What reading a whole file has found. */
export interface RowsRead {
  /** The good rows. */
  readonly count: number;
  /** Whether the rows have ids of their own. */
  readonly withIds: boolean;
  /** SHA-256 of the file's bytes, in hexadecimal. */
  readonly digest: string;
}

/**
 * Reads and checks a whole file, in constant memory.
 *
 * @param rejects receives the bad rows
 * @param take receives the rows that are good by themselves; returns what else is wrong with them
 * @throws CommandFailure if the file cannot be read or does not have its format
 */
export async function readRows<Item>(
  kind: RowKind<unknown, Item>,
  { file, format, ids }: ImportChoices,
  output: Output,
  rejects: Rejects,
  take: (items: readonly Item[]) => Promise<readonly RowProblem[]>,
): Promise<RowsRead> {
  using progress = output.progress("read", kind.many, file === "-" ? undefined : sizeOf(file));
  const hasher = new Bun.CryptoHasher("sha256");
  // A file without rows has the same bytes whether it is one of animals or of orders.
  if (kind.many !== "animals") hasher.update(kind.many);
  let bytesRead = 0;
  let count = 0;
  let withIds = false;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of open(file)) {
        hasher.update(chunk);
        bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw cannotRead(nameOf(file), error);
    }
  }
  const Reader = format === "csv" ? CsvReader : NdjsonReader;
  const reader = new Reader(kind.layout.columns, await kind.checker(ids));
  try {
    for await (const records of readRecords(format === "json" ? elementsAsLines(bytes()) : bytes(), reader)) {
      const { items } = records;
      const problems = items.length > 0 ? await take(items) : [];
      const bad = problems.map(({ index, problem }) => records.badRecordOf(index, problem));
      for (const record of [...records.bad, ...bad].sort((one, other) => one.line - other.line)) {
        rejects.add(record);
      }
      withIds ||= (items[0] as { id?: bigint } | undefined)?.id !== undefined;
      count += items.length - problems.length;
      progress.update(file === "-" ? count : bytesRead, count);
      await deliverSignals();
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandFailure(`${nameOf(file)} ${error.message}.`) : error;
  }
  return { count, withIds, digest: hasher.digest("hex") };
}

/** The stream of a `Bun.file` cannot read a device. */
function open(file: string): AsyncIterable<Uint8Array> {
  return file === "-" ? Bun.stdin.stream() : createReadStream(file, { highWaterMark: PIECE_BYTES });
}

/**
 * The size of a file in bytes.
 *
 * @throws CommandFailure if it cannot be read
 */
export function sizeOf(file: string): number {
  let stat: Stats;
  try {
    stat = statSync(file);
  } catch (error) {
    throw cannotRead(file, error);
  }
  if (stat.isDirectory()) throw new CommandFailure(`cannot read ${file}: it is a folder; name a file.`);
  return stat.size;
}

/** A file as messages name it. */
export function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}
