import { tokenize } from "@speed-highlight/core";

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
  json: "json",
  http: "http",
  sql: "sql",
  yaml: "yaml",
  ini: "ini",
  toml: "toml",
};

/** Code as HTML, with its tokens in `span`s; plain text if the language is not known. */
export async function highlight(code: string, language: string): Promise<string> {
  const syntax = SYNTAXES[language];
  if (syntax === undefined) return Bun.escapeHTML(code);
  let html = "";
  await tokenize(code, syntax, (text, type) => {
    html += type ? `<span class="t-${type}">${Bun.escapeHTML(text)}</span>` : Bun.escapeHTML(text);
  });
  return html;
}
