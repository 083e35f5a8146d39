import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import type { SiteFile } from "../contract.ts";

/** A page may run our scripts, call this service, and do nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
};

/** Redirects a path with a slash too many to its page. The link is relative, as all links are. */
export function redirect(path: string): SiteFile {
  const target = `../${path.split("/").at(-1)}`;
  return {
    status: 308,
    mediaType: "text/plain; charset=utf-8",
    text: `This page is at ${target}\n`,
    headers: { Location: target },
  };
}

/** A page as it is sent. */
export function page(content: VNode): SiteFile {
  return {
    status: 200,
    mediaType: "text/html; charset=utf-8",
    text: `<!doctype html>${renderToString(content)}`,
    headers: PAGE_HEADERS,
  };
}

/** A text for programs, and for people who copy it. */
export function plainText(path: string, text: string): SiteFile {
  const type = path.endsWith(".md") ? "markdown" : "plain";
  return { status: 200, mediaType: `text/${type}; charset=utf-8`, text, headers: {} };
}
