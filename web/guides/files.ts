import { join } from "node:path";

/** A Markdown file, by its path from the folder of the guides. */
interface GuideFile {
  readonly file: string;
  readonly markdown: string;
}

/** A drawing of a guide, by its path from the folder of the guides. */
interface Picture {
  readonly file: string;
  readonly svg: string;
}

/** Reads the Markdown files of a folder; there are none if there is no such folder. */
export async function readFiles(folder: string): Promise<GuideFile[]> {
  const read = await textsIn(folder, "**/*.md");
  return read.map(({ file, text }) => ({ file, markdown: text }));
}

/** Reads the drawings of the guides in a folder. */
export async function readPictures(folder: string): Promise<Picture[]> {
  const read = await textsIn(folder, "images/*.svg");
  return read.map(({ file, text }) => ({ file, svg: text }));
}

async function textsIn(folder: string, pattern: string): Promise<{ file: string; text: string }[]> {
  const files = await Array.fromAsync(new Bun.Glob(pattern).scan(folder)).catch(() => []);
  return await Promise.all(
    files.sort().map(async (file) => ({ file, text: await Bun.file(join(folder, file)).text() })),
  );
}
