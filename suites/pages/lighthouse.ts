import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { findChromium } from "../../test/browser/chromium.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { runCommand } from "../../test/support/run-command.ts";

/** The newest that runs on Node 20. It has 150 packages, so it is no dependency: the suite installs it. */
const VERSION = "12.8.2";
const CACHE = join(import.meta.dir, `../../node_modules/.cache/lighthouse-${VERSION}`);
const PROGRAM = join(CACHE, "node_modules/lighthouse/cli/index.js");
const CATEGORIES = ["accessibility", "best-practices", "performance"] as const;

interface LighthouseReport {
  /** From 0 to 100. */
  readonly scores: Readonly<Record<(typeof CATEGORIES)[number], number>>;
  /** The audits of accessibility and best practices that a page did not pass. */
  readonly failed: readonly string[];
  /** Milliseconds on a throttled phone. */
  readonly firstPaintMs: number;
  readonly interactiveMs: number;
}

interface RawReport {
  readonly categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  readonly audits: Record<string, { id: string; score: number | null; title: string; numericValue?: number }>;
}

/** Has Lighthouse look at a page as on a throttled phone. */
export async function lighthouse(url: string): Promise<LighthouseReport> {
  await install();
  using folder = temporaryFolder();
  const { executablePath, env } = await findChromium(folder.path);
  const flags =
    "--headless=shell --no-sandbox --disable-background-networking --disable-component-update --no-first-run";
  const { stdout } = await runCommand(
    [
      Bun.which("node") ?? "node",
      PROGRAM,
      url,
      "--quiet",
      "--output=json",
      `--only-categories=${CATEGORIES.join(",")}`,
      `--chrome-flags=${flags}`,
    ],
    {
      cwd: folder.path,
      env: { ...env, CHROME_PATH: executablePath, HOME: folder.path, TMPDIR: folder.path },
    },
  );
  const { categories, audits } = JSON.parse(stdout) as RawReport;
  const failed = ["accessibility", "best-practices"]
    .flatMap((category) => categories[category]?.auditRefs ?? [])
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => `${id}: ${audits[id]?.title}`);
  const score = (category: string) => Math.round((categories[category]?.score ?? 0) * 100);
  return {
    scores: {
      accessibility: score("accessibility"),
      "best-practices": score("best-practices"),
      performance: score("performance"),
    },
    failed,
    firstPaintMs: Math.round(audits["first-contentful-paint"]?.numericValue ?? 0),
    interactiveMs: Math.round(audits.interactive?.numericValue ?? 0),
  };
}

async function install(): Promise<void> {
  if (existsSync(PROGRAM)) return;
  mkdirSync(CACHE, { recursive: true });
  const npm = Bun.which("npm") ?? "npm";
  await runCommand([npm, "install", "--prefix", CACHE, "--no-audit", "--no-fund", `lighthouse@${VERSION}`], {
    cwd: CACHE,
  });
}
