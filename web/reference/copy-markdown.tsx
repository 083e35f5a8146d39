/** @jsxImportSource preact */
import { CopyButton } from "../browser/copy.tsx";
import { withOwnAddress } from "./own-address.ts";

/** A button that copies the page as Markdown. */
export function CopyMarkdown({ from }: { from: string }) {
  const load = async () => {
    const response = await fetch(from);
    if (!response.ok) throw new Error(`${from}: ${response.status}`);
    return withOwnAddress(await response.text());
  };
  return <CopyButton text={load} label="Copy as Markdown" />;
}
