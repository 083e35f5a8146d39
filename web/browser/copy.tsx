/** @jsxImportSource preact */
import { useState } from "preact/hooks";

const SHOWN_MS = 1500;

/** A button that copies a text, which may have to be loaded first. */
export function CopyButton({
  text,
  label = "Copy",
}: {
  text: () => string | Promise<string>;
  label?: string;
}) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    setState((await copyText(text())) ? "copied" : "failed");
    setTimeout(() => setState("ready"), SHOWN_MS);
  };
  return (
    <button type="button" class="button small copy" onClick={copy}>
      <span aria-live="polite">
        {state === "ready" ? label : state === "copied" ? "Copied" : "Press Ctrl+C"}
      </span>
    </button>
  );
}

/** Copies a text. @returns whether that succeeded */
async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    // Only a click may write, and loading outlasts it: the browser takes the promise of a text.
    const blob = Promise.resolve(text).then((each) => new Blob([each], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return true;
  } catch {
    // A page that came over plain HTTP has no clipboard interface: the old command copies the selection.
    const loaded = await Promise.resolve(text).catch(() => "");
    if (!loaded) return false;
    const area = document.createElement("textarea");
    area.value = loaded;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
