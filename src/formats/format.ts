/** The formats of files of animals. JSON is one array, as the interface returns it. */
export const FORMATS = ["csv", "ndjson", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** The members of an animal, in the order in which files have them. */
export const COLUMNS = ["id", "name", "categoryId", "status"] as const;
export type Column = (typeof COLUMNS)[number];

/** A file does not have its format; the message completes "FILE …". */
export class UnreadableFile extends Error {}
