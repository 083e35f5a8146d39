import { tokenize } from "@speed-highlight/core";
import { tokensOf } from "../samples/tokens.ts";

const SYNTAXES: Readonly<Record<string, string>> = {
  sh: "bash",
  bash: "bash",
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
  if (language === "console") return highlightConsole(code);
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

const PROMPT = "$ ";

/** What a terminal shows: commands are code, and what they print is not. */
async function highlightConsole(code: string): Promise<string> {
  const lines = code
    .split("\n")
    .map(async (line) =>
      line.startsWith(PROMPT)
        ? PROMPT + (await highlight(line.slice(PROMPT.length), "sh"))
        : Bun.escapeHTML(line),
    );
  return (await Promise.all(lines)).join("\n");
}

function span(kind: string | undefined, text: string): string {
  return kind ? `<span class="${kind}">${Bun.escapeHTML(text)}</span>` : Bun.escapeHTML(text);
}
