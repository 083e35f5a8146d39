/** @jsxImportSource preact */
import { Method } from "../parts/labels.tsx";
import type { JournalRequest } from "./control.ts";
import { Outcome } from "./journal-entry.tsx";

/**
 * Where the window has no room for both: what is shown of the page, with the latest request in sight all the time. It stays
 * at the upper edge.
 */
export function PartSwitch(props: {
  readonly isJournal: boolean;
  readonly onChoose: (isJournal: boolean) => void;
  /** How many requests the journal has. */
  readonly count: number;
  readonly latest: JournalRequest | undefined;
}) {
  const { isJournal, onChoose, count, latest } = props;
  const choice = (label: string, value: boolean) => (
    <label>
      <input type="radio" name="part" checked={isJournal === value} onChange={() => onChoose(value)} />
      <span>{label}</span>
    </label>
  );
  return (
    <div class="part-switch">
      <fieldset class="segments">
        <legend class="visually-hidden">Part of the page</legend>
        {choice("Control", false)}
        {choice(count > 0 ? `Journal (${count})` : "Journal", true)}
      </fieldset>
      {latest ? (
        <button type="button" class="latest-request" onClick={() => onChoose(true)}>
          <span class="visually-hidden">Latest request: </span>
          <Method method={latest.method} /> <code>{latest.target}</code> <Outcome request={latest} />
        </button>
      ) : null}
    </div>
  );
}
