import { join } from "node:path";

/** A Markdown file, by its path from the folder of the guides. */
interface GuideFile {
  readonly file: string;
  readonly markdown: string;
}

/** Reads the Markdown files of a folder; there are none if there is no such folder. */
export async function readFiles(folder: string): Promise<GuideFile[]> {
  const files = await Array.fromAsync(new Bun.Glob("**/*.md").scan(folder)).catch(() => []);
  const read = files
    .sort()
    .map(async (file) => ({ file, markdown: await Bun.file(join(folder, file)).text() }));
  return Promise.all(read);
}
