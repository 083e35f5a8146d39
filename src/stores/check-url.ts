import { readPostgresUrl } from "./postgres/connect/url.ts";

const SQLITE_URL = /^sqlite:(?!\/\/|:)[^?#\0]*[^?#\0/]$/;
const POSTGRES = /^postgres(?:ql)?:/;
/** A connection string in libpq's other form: `host=db1 dbname=animals`. */
const KEYWORDS = /^\s*[a-z_]+\s*=/;

/** The problems of a store's URL, each of which completes "it …"; none if the URL is well-formed. */
export function storeUrlErrors(text: string): readonly string[] {
  if (POSTGRES.test(text)) {
    const read = readPostgresUrl(text);
    return "hosts" in read ? [] : read;
  }
  if (KEYWORDS.test(text)) {
    return [
      "must be a URL: what libpq takes as host=db1 port=5432 dbname=animals user=me password=word is " +
        "postgres://me:word@db1:5432/animals here",
    ];
  }
  return SQLITE_URL.test(text)
    ? []
    : [
        "must be sqlite:./relative/path or sqlite:/absolute/path, naming a file, with no options, " +
          "or postgres://user:password@host:5432/database",
      ];
}
