/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { IN_TAB, keepText, keptText } from "../browser/kept.ts";
import { Message } from "./message.tsx";

/** A notice of what the key may not do, in the service's words. A person who has read it can dismiss it for this tab. */
export function Forbidden(props: {
  readonly id: string;
  /** What the key may not do, for example "add animals". */
  readonly action: string;
  readonly message: string | undefined;
}) {
  const { id, action, message } = props;
  const name = `animal-store.read.${id}`;
  const [read, setRead] = useState(() => keptText(IN_TAB, name));
  if (message === undefined || message === read) return null;
  const dismiss = () => {
    keepText(IN_TAB, name, message);
    setRead(message);
    document.getElementById("main")?.focus();
  };
  return (
    <div class="callout warn dismissible" id={id} role="alert">
      <p>
        <strong>This key may not {action}.</strong> <Message text={message} />
      </p>
      <button type="button" class="button small quiet" onClick={dismiss}>
        Dismiss
      </button>
    </div>
  );
}
