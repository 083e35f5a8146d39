// Files that are imported as their text.
declare module "*.sql" {
  const text: string;
  export default text;
}

// ECMAScript's JSON.parse source text access, which TypeScript's library does not know yet.
interface JSON {
  rawJSON(text: string): object;
}
