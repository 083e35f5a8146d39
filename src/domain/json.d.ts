// ECMAScript's JSON.parse source text access, which TypeScript's library does not know yet.
interface JSON {
  rawJSON(text: string): object;
}
