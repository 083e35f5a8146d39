import { withOwnAddress } from "./own-address.ts";

/** An operation's id and its sample, as `samplesMarkdown` writes them. */
const SAMPLE = /^Operation `(\w+)`.*?^```\w+\n(.*?)\n^```$/gms;

/** The samples in one language, by operation, from the Markdown of the language's page. @throws if it cannot be loaded */
export async function loadSamples(page: string): Promise<ReadonlyMap<string, string>> {
  const address = page.replace(/#.*/, ".md");
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const markdown = withOwnAddress(await response.text());
  return new Map([...markdown.matchAll(SAMPLE)].map(([, id = "", code = ""]) => [id, code]));
}
