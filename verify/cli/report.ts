import type { Outcome, Verdict } from "../check.ts";
import type { Verification } from "./verification.ts";

const MARKS: Readonly<Record<Verdict, readonly [mark: string, color: string]>> = {
  passed: ["✓", "\x1b[32m"],
  failed: ["✗", "\x1b[31m"],
  inconclusive: ["?", "\x1b[33m"],
  skipped: ["–", "\x1b[2m"],
};
const DIM = "\x1b[2m";
const RESET = "\x1b[0m";
const NAME_WIDTH = 10;
const INDENT = " ".repeat(NAME_WIDTH + 2);
const WIDTH_MAX = 110;

/** @param version of the program */
export function describeStart({ subject, seed, duration }: Verification, version: string): string {
  const lines = [
    `animal-store ${version} tests its promises: ${duration}.`,
    subject,
    ...(seed === undefined ? [] : [`seed ${seed}`]),
  ];
  return `${lines.join("\n")}\n\n`;
}

/** The verdict of a check, its promise, and what the check saw. */
export function describeOutcome(outcome: Outcome, verification: Verification): string {
  const { name, promise, verdict, details, failure } = outcome;
  const [mark, color] = MARKS[verdict];
  const prefix = verdict === "passed" ? "" : `${verdict.toUpperCase()}  `;
  const [first = "", ...rest] = wrap(`${prefix}${promise}`);
  const lines = [
    `${paint(color, mark)} ${name.padEnd(NAME_WIDTH)}${first}`,
    ...rest.map((line) => INDENT + line),
    ...details.flatMap((each) => wrap(each)).map((line) => INDENT + paint(DIM, line)),
  ];
  if (failure) {
    const { expected, actual, request } = failure;
    const rows = { expected, actual, request, repeat: verification.repeatCommand(name) };
    for (const [title, text] of Object.entries(rows)) {
      const [first, ...others] = text?.split("\n") ?? [];
      if (first !== undefined) lines.push(`${INDENT}${title.padEnd(NAME_WIDTH)}${first}`);
      lines.push(...others.map((line) => INDENT + " ".repeat(NAME_WIDTH) + line));
    }
  }
  return `${lines.join("\n")}\n`;
}

export function describeEnd({ left }: Verification, outcomes: readonly Outcome[], seconds: number): string {
  const named = (verdict: Verdict) =>
    outcomes.filter((each) => each.verdict === verdict).map(({ name }) => name);
  const [failed, inconclusive, skipped] = [named("failed"), named("inconclusive"), named("skipped")];
  const parts = [
    failed.length > 0 ? paint("\x1b[31m", `Failed: ${failed.join(", ")}.`) : "",
    inconclusive.length > 0 ? paint("\x1b[33m", `Inconclusive: ${inconclusive.join(", ")}.`) : "",
    failed.length + inconclusive.length === 0 ? paint("\x1b[32m", "Everything passed.") : "",
    skipped.length > 0 ? `Skipped: ${skipped.join(", ")}.` : "",
    `${seconds.toFixed(0)} s.`,
    ...left(),
  ];
  return `\n${parts.filter((part) => part !== "").join(" ")}\n`;
}

/** The whole report as JSON. */
export function toJson(
  verification: Verification,
  outcomes: readonly Outcome[],
  seconds: number,
  version: string,
): string {
  const passed = outcomes.every(({ verdict }) => verdict === "passed" || verdict === "skipped");
  const checks = outcomes.map((outcome) =>
    outcome.verdict === "failed"
      ? { ...outcome, repeatCommand: verification.repeatCommand(outcome.name) }
      : outcome,
  );
  const { subject, seed } = verification;
  return `${JSON.stringify({ version, subject, seed, passed, seconds, checks, left: verification.left() })}\n`;
}

function paint(color: string, text: string): string {
  return Bun.enableANSIColors && process.stdout.isTTY ? color + text + RESET : text;
}

/** Breaks a text into lines that fit beside the names of the checks. */
function wrap(text: string): string[] {
  const width = Math.max(40, Math.min(WIDTH_MAX, process.stdout.columns ?? WIDTH_MAX) - INDENT.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
