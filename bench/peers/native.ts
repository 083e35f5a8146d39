import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Lies outside the checkout, so that all checkouts share builds, which take minutes. */
const BUILDS = join(tmpdir(), `animal-store-bench-peers-${process.getuid?.() ?? ""}`);

/** A server that the bench compiles where it finds the compiler. */
export class NativePeer {
  readonly language: string;
  readonly #compiler: string;
  readonly #oldest: string;
  readonly #folder: string;

  /** @param oldest the oldest version of the compiler that will do */
  constructor(language: string, compiler: string, oldest: string) {
    this.language = language;
    this.#compiler = compiler;
    this.#oldest = oldest;
    this.#folder = join(import.meta.dir, language.toLowerCase());
  }

  /** The file to run. Its name has a digest of all sources, so it is never out of date. */
  get executable(): string {
    const hash = new Bun.CryptoHasher("sha256");
    for (const file of readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()) {
      hash.update(readFileSync(file));
    }
    return join(BUILDS, `${this.#compiler}-${hash.digest("hex").slice(0, 12)}`);
  }

  /** Why it cannot take part; `undefined` if it can. */
  missing(): string | undefined {
    if (existsSync(this.executable)) return undefined;
    return Bun.which(this.#compiler) === null
      ? `${this.#compiler}, which compiles it, is not installed`
      : `it is not built; a run without --once builds it, with ${this.#compiler} ${this.#oldest} or newer`;
  }

  /** Compiles it, unless it is built or its compiler is missing. What the compiler refuses is left out of the run. */
  async build(log: (progress: string) => void): Promise<void> {
    const { executable } = this;
    if (existsSync(executable) || Bun.which(this.#compiler) === null) return;
    log(`building the server in ${this.language}: some minutes the first time`);
    mkdirSync(BUILDS, { recursive: true, mode: 0o700 });
    const { command, env, product } = BUILD[this.#compiler] as Build;
    const child = Bun.spawn([...command], {
      cwd: this.#folder,
      env: { ...process.env, ...env },
      stdin: "ignore",
      stdout: Bun.file("/dev/stderr"),
      stderr: "inherit",
    });
    if ((await child.exited) !== 0) {
      log(`the server in ${this.language} does not compile here`);
      return;
    }
    copyFileSync(product, `${executable}.tmp`);
    renameSync(`${executable}.tmp`, executable);
  }
}

interface Build {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly product: string;
}

const CARGO_TARGET = join(BUILDS, "cargo");
const GO_PRODUCT = join(BUILDS, "go-peer");

const BUILD: Readonly<Record<string, Build>> = {
  cargo: {
    command: ["cargo", "build", "--release", "--locked"],
    env: { CARGO_TARGET_DIR: CARGO_TARGET },
    product: join(CARGO_TARGET, "release/animal-store-peer"),
  },
  go: {
    command: ["go", "build", "-trimpath", "-o", GO_PRODUCT, "."],
    env: { CGO_ENABLED: "1" },
    product: GO_PRODUCT,
  },
};

export const RUST = new NativePeer("Rust", "cargo", "1.89");
export const GO = new NativePeer("Go", "go", "1.22");
