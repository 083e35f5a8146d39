// Files that are imported as their text.
declare module "*.sql" {
  const text: string;
  export default text;
}

// Files that are imported as the paths they are found at: the parts of a page.
declare module "*/web/reference.html" {
  const path: string;
  export default path;
}
declare module "*/web/reference.css" {
  const path: string;
  export default path;
}
declare module "*/web/reference.js" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}

// ECMAScript's JSON.parse source text access, which TypeScript's library does not know yet.
interface JSON {
  rawJSON(text: string): object;
}
