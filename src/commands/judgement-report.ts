import type { Judgement, RuleStatement } from "../../judge/judgement.ts";
import { toBadge } from "../../judge/report/badge.ts";
import { toFacts } from "../../judge/report/facts.ts";
import { toJunit } from "../../judge/report/junit.ts";
import { toText } from "../../judge/report/text.ts";
import { parseWholeNumber } from "../cli/counts.ts";
import { Output } from "../cli/output.ts";
import { assertWritable, writeAtomically } from "../process/atomic-file.ts";
import { CommandFailure, wrongValue } from "../process/errors.ts";

/** The options that every judge has. */
export interface JudgeOptions {
  readonly threshold: string;
  readonly skip?: string;
  readonly timeout: string;
  readonly junit?: string;
  readonly badge?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const TIMEOUT_MAX_SECONDS = 3600;

/** Who was judged. */
interface Subject {
  /** Of the badge: `client`, say. */
  readonly who: string;
  /** The command or address. */
  readonly name: string;
  /** What happened before the rules, for people. */
  readonly lines: readonly string[];
  /** What `--json` has besides the rules. */
  readonly about: object;
}

/** What a judge was told of its report: read, and checked before anything is judged. */
export class JudgementReport {
  readonly output: Output;
  readonly timeoutMs: number;
  /** Ids of rules that do not count. */
  readonly skipped: ReadonlySet<string>;
  readonly #threshold: number;
  readonly #options: JudgeOptions;

  constructor(options: JudgeOptions, rules: readonly RuleStatement[]) {
    this.#options = options;
    this.output = new Output({ ...options });
    this.#threshold = parseWholeNumber("--threshold", options.threshold, 0, 100);
    this.timeoutMs = 1000 * parseWholeNumber("--timeout", options.timeout, 1, TIMEOUT_MAX_SECONDS);
    this.skipped = rulesNamed(options.skip, rules);
    const replace = options.force === true;
    for (const file of [options.junit, options.badge]) if (file) assertWritable(file, { replace });
  }

  /**
   * Writes a judgement in every form that is asked for.
   *
   * @param unjudged why nothing could be judged, if that is so
   * @throws CommandFailure if nothing was judged, or if the score is below the threshold
   */
  async write(judgement: Judgement, { who, name, lines, about }: Subject, unjudged: string): Promise<void> {
    const { junit, badge, force } = this.#options;
    const replace = force === true;
    if (junit) writeAtomically(junit, toJunit(name, judgement), { replace });
    if (badge) writeAtomically(badge, toBadge(who, judgement), { replace });
    await this.output.answer(toFacts(about, judgement, this.#threshold), toText(name, lines, judgement));
    if (judgement.score === null) throw new CommandFailure(unjudged, 3);
    if (judgement.score < this.#threshold) {
      throw new CommandFailure(`the score is ${judgement.score}, and --threshold is ${this.#threshold}.`);
    }
  }
}

function rulesNamed(list: string | undefined, rules: readonly RuleStatement[]): ReadonlySet<string> {
  const names = (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const ids = rules.map(({ id }) => id);
  const unknown = names.find((name) => !ids.includes(name));
  if (unknown !== undefined) throw wrongValue("--skip", unknown, `name some of ${ids.join(", ")}`);
  return new Set(names);
}
