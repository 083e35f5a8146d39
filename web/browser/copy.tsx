/** @jsxImportSource preact */
import { useState } from "preact/hooks";

const SHOWN_MS = 1500;

/** A button that copies a text. */
export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
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
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page that came over plain HTTP has no clipboard interface: the old command copies the selection.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
