import { Database } from "bun:sqlite";
import { closeSync, openSync, writeSync } from "node:fs";

/** Rows at each end of a range of equal keys that stay readable: more than any page has, and than a test adds. */
const READABLE = 1500;

/** By table: a column whose equal values are next to each other, if there is one. */
type Clusters = Readonly<Record<string, string | undefined>>;

/** A table or an index, as it is stored. */
interface Tree {
  readonly name: string;
  readonly isIndex: boolean;
  /** Selects the keys of its rows, in the order of the tree. */
  readonly keys: string;
}

/** A range of rows, by their places in a tree. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

/**
 * Makes unreadable what a statement need not read: of each table and index of a file that nobody has open, the middle of
 * every long range of rows with equal keys. A statement that walks along such a range, by whatever plan, then fails. A
 * statement that reads as many rows as a page has, from either end, does not.
 */
export function makeMiddleUnreadable(file: string, clusters: Clusters): void {
  const { pages, size } = middlePages(file, clusters);
  const opened = openSync(file, "r+");
  for (const page of pages) writeSync(opened, new Uint8Array(size), 0, size, (page - 1) * size);
  closeSync(opened);
}

function middlePages(file: string, clusters: Clusters): { pages: number[]; size: number } {
  using database = new Database(file);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page_size: size = 0 } = database.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? {};
  return { pages: treesOf(database, clusters).flatMap((tree) => middleOf(database, tree)), size };
}

function treesOf(database: Database, clusters: Clusters): Tree[] {
  const trees = database
    .query<{ type: string; name: string; tbl_name: string; sql: string | null }, []>(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE rootpage > 0",
    )
    .all();
  return trees.map(({ type, name, tbl_name: table, sql }) => {
    const isIndex = type === "index";
    const columns = isIndex ? columnsOf(database, name) : clusters[table];
    const condition = isIndex ? (/WHERE .+$/.exec(sql ?? "")?.[0] ?? "") : "";
    const order = isIndex ? `ORDER BY ${columns}` : columns ? "ORDER BY rowid" : "";
    return { name, isIndex, keys: `SELECT ${columns ?? 1} FROM ${table} ${condition} ${order}` };
  });
}

function columnsOf(database: Database, index: string): string {
  return database
    .query<{ name: string }, [string]>("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
    .all(index)
    .map(({ name }) => name)
    .join(", ");
}

/** The leaves of a tree that hold nothing but the middle of a range. */
function middleOf(database: Database, { name, isIndex, keys }: Tree): number[] {
  const ranges = rangesOf(database.query(keys).values());
  const leaves = database
    .query<{ page: number; rows: number }, [string]>(
      "SELECT pageno AS page, ncell AS rows FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
    )
    .all(name);
  let begin = 0;
  return leaves.flatMap(({ page, rows }) => {
    const first = begin;
    const last = first + rows;
    // Between two leaves of an index, the page above them holds one more row.
    begin = isIndex ? last + 1 : last;
    const isMiddle = ranges.some((range) => first >= range.begin + READABLE && last <= range.end - READABLE);
    return isMiddle ? [page] : [];
  });
}

/** The ranges of equal keys. Short ones next to each other count as one. */
function rangesOf(rows: readonly (readonly unknown[])[]): Range[] {
  const ranges: Range[] = [];
  let begin = 0;
  let joins = false;
  for (const [at, row] of rows.entries()) {
    if (String(row) === String(rows[at + 1])) continue;
    const isShort = at + 1 - begin <= 2 * READABLE;
    if (isShort && joins) ranges.push({ begin: ranges.pop()?.begin ?? begin, end: at + 1 });
    else ranges.push({ begin, end: at + 1 });
    begin = at + 1;
    joins = isShort;
  }
  return ranges;
}
