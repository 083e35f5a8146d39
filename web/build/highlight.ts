import { tokenize } from "@speed-highlight/core";
import { tokensOf } from "../samples/tokens.ts";

const SYNTAXES: Readonly<Record<string, string>> = {
  sh: "bash",
  bash: "bash",
  console: "bash",
  js: "js",
  javascript: "js",
  ts: "ts",
  typescript: "ts",
  py: "py",
  python: "py",
  go: "go",
  java: "java",
  rust: "rs",
  json: "json",
  http: "http",
  sql: "sql",
  yaml: "yaml",
  ini: "ini",
  toml: "toml",
};

/** Languages that the library does not know, and of which our samples use a simple part. */
const PLAIN_SYNTAX = ["php", "ruby", "csharp", "kotlin"];

/** Code as HTML, with its tokens in `span`s; plain text if the language is not known. */
export async function highlight(code: string, language: string): Promise<string> {
  const syntax = SYNTAXES[language];
  if (syntax === undefined) {
    if (!PLAIN_SYNTAX.includes(language)) return Bun.escapeHTML(code);
    return tokensOf(code)
      .map(({ kind, text }) => span(kind, text))
      .join("");
  }
  let html = "";
  await tokenize(code, syntax, (text, type) => {
    html += span(type && `t-${type}`, text);
  });
  return html;
}

function span(kind: string | undefined, text: string): string {
  return kind ? `<span class="${kind}">${Bun.escapeHTML(text)}</span>` : Bun.escapeHTML(text);
}
