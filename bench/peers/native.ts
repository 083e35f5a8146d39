import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Outside the checkout, so that all checkouts share what takes minutes to compile. */
const BUILDS = join(tmpdir(), `animal-store-bench-peers-${process.getuid?.() ?? ""}`);

/** A server that is compiled here, where its compiler is found. */
export interface NativePeer {
  readonly language: string;
  readonly compiler: string;
  readonly folder: string;
  readonly executable: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const RUST_TARGET = join(BUILDS, "rust");
const GO_EXECUTABLE = join(BUILDS, "go/animal-store-peer");

export const RUST: NativePeer = {
  language: "Rust",
  compiler: "cargo",
  folder: join(import.meta.dir, "rust"),
  executable: join(RUST_TARGET, "release/animal-store-peer"),
  command: ["cargo", "build", "--release", "--locked"],
  env: { CARGO_TARGET_DIR: RUST_TARGET },
};

export const GO: NativePeer = {
  language: "Go",
  compiler: "go",
  folder: join(import.meta.dir, "go"),
  executable: GO_EXECUTABLE,
  command: ["go", "build", "-trimpath", "-o", GO_EXECUTABLE, "."],
  env: { CGO_ENABLED: "1" },
};

const BUILD_SECONDS = 900;

/** Compiles the native peers whose compilers are found. The first time takes minutes; later, what has not changed is kept. */
export async function buildNativePeers(log: (progress: string) => void): Promise<void> {
  mkdirSync(BUILDS, { recursive: true, mode: 0o700 });
  for (const { language, compiler, folder, command, env } of [RUST, GO]) {
    if (Bun.which(compiler) === null) continue;
    log(`building the peer in ${language}`);
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdin: "ignore",
      stdout: Bun.file("/dev/stderr"),
      stderr: "inherit",
      timeout: BUILD_SECONDS * 1000,
    });
    if ((await child.exited) !== 0) throw new Error(`the peer in ${language} does not compile`);
  }
}

/** Why a native peer cannot take part; `undefined` where it can. */
export function missingNativePeer({ language, compiler, executable }: NativePeer): string | undefined {
  if (existsSync(executable)) return undefined;
  return Bun.which(compiler) === null
    ? `${compiler} is not installed, which compiles it`
    : `the server in ${language} is not built: a run without --once builds it`;
}
