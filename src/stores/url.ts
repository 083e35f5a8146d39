import { resolve } from "node:path";
import { readPostgresUrl } from "./postgres/connect/url.ts";

const SQLITE_URL = /^sqlite:(?!\/\/|:)[^?#\0]*[^?#\0/]$/;
const POSTGRES = /^postgres(?:ql)?:/;

/** What is wrong with the URL of a store, each completing "it …"; nothing where it can be tried. */
export function mistakesInStoreUrl(text: string): readonly string[] {
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

/** The file that a store is in, where it is in one: that is so with SQLite alone. */
export function fileOfStore(url: string): string | undefined {
  return /^sqlite:(.*)$/s.exec(url)?.[1];
}

/** The engine behind a URL, as OpenTelemetry names it. */
export function engineOf(url: string): "sqlite" | "postgresql" {
  return fileOfStore(url) === undefined ? "postgresql" : "sqlite";
}

/** What a store is called in messages: its file's whole path, or its URL without the password. */
export function storeName(url: string): string {
  const file = fileOfStore(url);
  return file === undefined ? hidePassword(url) : resolve(file);
}

/** A password in a URL is for the store alone, not for a terminal or a log. */
export function hidePassword(text: string): string {
  return text.replace(/(:\/\/[^:@/]*:).*@/, "$1***@").replace(/([?&](?:ssl)?password=)[^&]*/gi, "$1***");
}
