/** Rows read at once: few enough to stay within some megabytes, enough that round trips do not matter. */
const CHUNK = 5000;

/**
 * Reads a table in chunks, by keyset: a chunk costs the same wherever it starts.
 *
 * @param read returns at most `limit` rows that follow `last`, in order; without `last`, the first rows
 */
export async function* readInChunks<Row>(
  read: (last: Row | undefined, limit: number) => readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  let chunk: readonly Row[];
  do {
    chunk = await read(last, CHUNK);
    if (chunk.length > 0) yield chunk;
    last = chunk.at(-1);
  } while (chunk.length === CHUNK);
}
