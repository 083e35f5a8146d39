/** The formats of files. JSON is one array, as the interface returns it. */
export const FORMATS = ["csv", "ndjson", "json"] as const;
export type Format = (typeof FORMATS)[number];

/** A file does not have its format; the message completes "FILE …". */
export class UnreadableFile extends Error {}
