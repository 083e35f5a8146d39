/** A piece of code; `kind` is the class of its color, and empty for what has none. */
interface Token {
  readonly kind: "" | "t-cmnt" | "t-str" | "t-num" | "t-kwd";
  readonly text: string;
}

const KEYWORDS =
  "async await begin break case catch class const def defer do else end except false final finally for from func " +
  "function if implements import in interface let new nil None null package private public raise require rescue " +
  "return static string struct throw throws true try type until using var void while with";

/**
 * The tokens that samples in any of our languages have in common. A text in quotes ends with its line, so that a quote in a
 * pattern colors nothing after it.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>(?<!\S)(?:#|//).*)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`,
    "(?<template>`[^`]*`)",
    String.raw`(?<number>(?<![\w.])\d[\d_.]*n?\b)`,
    String.raw`(?<keyword>(?<![\w.$-])(?:${KEYWORDS.replaceAll(" ", "|")})(?![\w-]))`,
  ].join("|"),
  "g",
);

/** Cuts the code of a sample into tokens. Their texts together are the code. */
export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(TOKEN)) {
    const { comment, string, template, number } = match.groups ?? {};
    if (match.index > end) tokens.push({ kind: "", text: code.slice(end, match.index) });
    tokens.push({
      kind: comment ? "t-cmnt" : (string ?? template) ? "t-str" : number ? "t-num" : "t-kwd",
      text: match[0],
    });
    end = match.index + match[0].length;
  }
  return [...tokens, { kind: "", text: code.slice(end) }];
}
