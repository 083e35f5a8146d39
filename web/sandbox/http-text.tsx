/** @jsxImportSource preact */
import { Json } from "../browser/json.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import type { JournalMessage } from "./control.ts";

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A message as HTTP/1.1 writes it, with its JSON laid out. */
export function HttpText({ name, line, message }: { name: string; line: string; message: JournalMessage }) {
  const { headers, body, bodyIsWhole } = message;
  const head = [line, ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`)].join("\n");
  return (
    <figure>
      <figcaption class="hint">{name}</figcaption>
      <div class="code bare">
        <pre {...SCROLLS}>
          <code>{head}</code>
        </pre>
        {body ? <Json text={body} /> : null}
      </div>
      {bodyIsWhole ? null : <p class="hint">Not all of the body was kept.</p>}
    </figure>
  );
}

/** When a message left or came, by the clock of the viewer. */
export function TimeOfDay({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {TIME.format(new Date(at))}
    </time>
  );
}

/** What a response is called, with the time that it took. */
export function responseAfter(ms: number): string {
  return `Response, after ${ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`}`;
}
