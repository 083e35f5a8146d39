/** How files of animals are written. */
export const FORMATS = ["csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** What can be read: a JSON array too, as the interface returns it. */
export const IMPORT_FORMATS = [...FORMATS, "json"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** The members of an animal, in the order in which files name them. */
export const COLUMNS = ["id", "name", "categoryId", "status"] as const;
export type Column = (typeof COLUMNS)[number];

/** A file that cannot be read as what it should be; the message completes "FILE …". */
export class UnreadableFile extends Error {}
