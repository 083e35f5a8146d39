import type { Outcome, Verdict } from "../../verify/check.ts";
import { VERSION } from "../version.ts";

/** What is put to the proof. */
export interface Proof {
  /** What it is done to. */
  readonly subject: string;
  readonly seed: number | undefined;
  /** How long it takes, in words. */
  readonly about: string;
  readonly outcomes: AsyncGenerator<Outcome>;
  /** The command that repeats a check. */
  again(name: string): string;
  /** What stays behind, in sentences. */
  left(): readonly string[];
  /** Ends what runs, and removes what is its own. */
  end(): Promise<void>;
}

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

export function tellBeginning({ subject, seed, about }: Proof): string {
  const lines = [
    `animal-store ${VERSION} tests its promises: ${about}.`,
    subject,
    ...(seed === undefined ? [] : [`seed ${seed}`]),
  ];
  return `${lines.join("\n")}\n\n`;
}

/** The verdict of a check, the promise, and what was seen. */
export function tellOutcome({ name, promise, verdict, told, fault }: Outcome, { again }: Proof): string {
  const [mark, color] = MARKS[verdict];
  const said = verdict === "passed" ? "" : `${verdict.toUpperCase()}  `;
  const [first = "", ...rest] = wrap(`${said}${promise}`);
  const lines = [
    `${paint(color, mark)} ${name.padEnd(NAME_WIDTH)}${first}`,
    ...rest.map((line) => INDENT + line),
    ...told.flatMap((each) => wrap(each)).map((line) => INDENT + paint(DIM, line)),
  ];
  if (fault) {
    const rows = { expected: fault.expected, came: fault.came, request: fault.request, repeat: again(name) };
    for (const [title, text] of Object.entries(rows)) {
      const [first, ...others] = text?.split("\n") ?? [];
      if (first !== undefined) lines.push(`${INDENT}${title.padEnd(NAME_WIDTH)}${first}`);
      lines.push(...others.map((line) => INDENT + " ".repeat(NAME_WIDTH) + line));
    }
  }
  return `${lines.join("\n")}\n`;
}

export function tellEnd({ left }: Proof, outcomes: readonly Outcome[], seconds: number): string {
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
export function forPrograms(proof: Proof, outcomes: readonly Outcome[], seconds: number): string {
  const passed = outcomes.every(({ verdict }) => verdict === "passed" || verdict === "skipped");
  const checks = outcomes.map(({ told, ...outcome }) => ({
    ...outcome,
    details: told,
    ...(outcome.verdict === "failed" && { repeatCommand: proof.again(outcome.name) }),
  }));
  const { subject, seed } = proof;
  return `${JSON.stringify({ version: VERSION, subject, seed, passed, seconds, checks, left: proof.left() })}\n`;
}

function paint(color: string, text: string): string {
  return Bun.enableANSIColors && process.stdout.isTTY ? color + text + RESET : text;
}

/** Breaks a text into lines that fit beside the names. */
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
