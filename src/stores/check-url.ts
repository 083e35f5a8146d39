import { readPostgresUrl } from "./postgres/connect/url.ts";

const SQLITE_URL = /^sqlite:(?!\/\/|:)[^?#\0]*[^?#\0/]$/;
const POSTGRES = /^postgres(?:ql)?:/;

/** The problems of a store's URL, each of which completes "it …"; none if the URL is well-formed. */
export function storeUrlErrors(text: string): readonly string[] {
  if (POSTGRES.test(text)) {
    const read = readPostgresUrl(text);
    return "hosts" in read ? [] : read;
  }
  return SQLITE_URL.test(text)
    ? []
    : [
        "must be sqlite:./relative/path or sqlite:/absolute/path, naming a file, with no options, " +
          "or postgres://user:password@host:5432/database",
      ];
}
