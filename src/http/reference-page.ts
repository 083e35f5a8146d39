import viewerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import style from "../web/reference.css" with { type: "file" };
import page from "../web/reference.html" with { type: "file" };
import script from "../web/reference.js" with { type: "file" };
import { madeOnce } from "./made-once.ts";
import type { PublicPage } from "./public-pages.ts";
import { text, toLast } from "./rendered.ts";

/** What the page may do: run our scripts, call us, and nothing else. `data:` is for the icons in the style. */
const POLICY = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

const JAVASCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

/** The pages that show the OpenAPI document to people, with a viewer that npm brought. */
export const referencePage: Readonly<Record<string, PublicPage>> = {
  "/docs": file("text/html; charset=utf-8", page, POLICY),
  "/docs/reference.css": file(CSS, style),
  "/docs/reference.js": file(JAVASCRIPT, script),
  "/docs/swagger-ui.css": file(CSS, viewerStyle),
  "/docs/swagger-ui.js": file(JAVASCRIPT, viewerScript),
};

/** A file that is read when it is first asked for, and kept: two megabytes that most services never need. */
function file(mediaType: string, path: string, headers: Record<string, string> = {}): PublicPage {
  return madeOnce(async () => toLast(text(mediaType, await Bun.file(path).text(), headers)));
}
