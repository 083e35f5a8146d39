import { written } from "./counts.ts";

const REDRAWS_PER_SECOND = 4;
const BAR_CELLS = 24;

/** The progress of a long piece of work. Disposing of it leaves its last line on the terminal. */
export interface Progress extends Disposable {
  /**
   * @param done of the total
   * @param count what the rate counts, if the total counts something else: for example animals rather than bytes
   */
  update(done: number, count?: number): void;
}

/** Shows nothing. */
export const NO_PROGRESS: Progress = { update() {}, [Symbol.dispose]() {} };

/** Where a bar is drawn: standard error, or a stand-in for it. */
interface Terminal extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Shows progress as a bar with rate and time left on a terminal; elsewhere it shows nothing and costs nothing. `update`
 * draws too, so that work which never returns to the event loop is visible as well.
 *
 * @param label names the work, for example "import"
 * @param unit names what is counted, for example "animals"
 * @param total `undefined` if it is not known; then there is no bar and no time left
 * @param clock milliseconds, monotonic
 */
export function startProgress(
  label: string,
  unit: string,
  total: number | undefined,
  terminal: Terminal = process.stderr,
  clock: () => number = performance.now.bind(performance),
): Progress {
  if (!terminal.isTTY) return NO_PROGRESS;
  // Loaded here, since most runs of the program have no bar.
  const { SingleBar }: typeof import("cli-progress") = require("cli-progress");
  const began = clock();
  const bar = new SingleBar({
    stream: terminal,
    fps: REDRAWS_PER_SECOND,
    // The settings of the terminal stay unchanged: an interrupted bar could not restore them.
    linewrap: true,
    hideCursor: false,
    emptyOnZero: true,
    format: (_, { value }, payload: { count: number }) => {
      const seconds = (clock() - began) / 1000;
      const line = describe({ label, unit, done: value, total, count: payload.count, seconds });
      return line.slice(0, (terminal.columns ?? 80) - 1);
    },
  });
  bar.start(total ?? 0, 0, { count: 0 });
  return {
    update: (done, count = done) => bar.update(done, { count }),
    [Symbol.dispose]: () => bar.stop(),
  };
}

interface State {
  readonly label: string;
  readonly unit: string;
  readonly done: number;
  readonly total: number | undefined;
  readonly count: number;
  readonly seconds: number;
}

/** One line: `import  ███████░░░  70 %  700,000 animals  180,000/s  2 s left`. */
function describe({ label, unit, done, total, count, seconds }: State): string {
  const rate = seconds > 0 ? `${written(count / seconds)}/s` : "";
  const counted = `${written(count)} ${unit}`;
  if (total === undefined) return [label, counted, rate, duration(seconds)].join("  ");
  const part = total > 0 ? Math.min(done / total, 1) : 1;
  const cells = Math.floor(part * BAR_CELLS);
  const bar = "█".repeat(cells) + "░".repeat(BAR_CELLS - cells);
  const percent = `${Math.floor(part * 100)} %`.padStart(5);
  const left = part > 0 ? `${duration((seconds * (1 - part)) / part)} left` : "";
  return [label, bar, percent, counted, rate, part < 1 ? left : duration(seconds)].join("  ");
}

function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
