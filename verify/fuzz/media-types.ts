/** Values of `Content-Encoding`, and whether they leave a body as it is. */
export const CONTENT_CODINGS: ReadonlyMap<string, boolean> = new Map([
  ["identity", true],
  ["Identity", true],
  ["gzip", false],
  ["br", false],
  ["identity, gzip", false],
  ["aws-chunked", false],
  ["utf-8", false],
]);

/** Media types, and whether their bodies are read; `undefined` if neither standard nor contract decides. */
export const MEDIA_TYPES: ReadonlyMap<string, boolean | undefined> = new Map([
  ["application/json", true],
  ["APPLICATION/Json", true],
  ["application/json; charset=utf-8", true],
  ['application/json;charset="UTF-8"', true],
  ["application/json; CHARSET=Utf-8", true],
  ["application/json ; version=1; charset=utf-8", true],
  ["application/json; version=1", true],
  ["application/json; charset=iso-8859-1", false],
  ["application/json; charset=utf-16", false],
  ["application/json; charset=utf-8; charset=latin1", false],
  ["application/merge-patch+json", false],
  ["application/jsonx", false],
  ["application/json, application/json", false],
  ["text/json", false],
  ["text/plain", false],
  ["application/x-www-form-urlencoded", false],
  ["multipart/form-data; boundary=a", false],
  ["json", false],
  ["*/*", false],
  ["application/json;", undefined],
  ["application/json; charset", undefined],
  ["application/json; charset=", undefined],
]);

/** Further media types that the contract allows for a change of an order alone. */
export const MERGE_PATCH_TYPES: readonly string[] = [
  "application/merge-patch+json",
  "application/merge-patch+json; charset=utf-8",
];
