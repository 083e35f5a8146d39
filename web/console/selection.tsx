/** @jsxImportSource preact */
import type { Animal } from "../../client/contract.ts";
import { CopyButton } from "../browser/copy.tsx";
import { countOf } from "./files/count.ts";
import { csvOf } from "./files/csv.ts";
import { download } from "./files/download.ts";
import { OFFERS_ORDERS } from "./offers.ts";
import { openDialog } from "./open-dialog.ts";
import { OrderAll } from "./order-all.tsx";
import type { Session } from "./session.ts";
import { usePhone } from "./use-phone.ts";

export interface SelectionProps {
  readonly session: Pick<Session, "service" | "forbidden" | "forbid">;
  readonly animals: readonly Animal[];
  /** Chooses the whole page; `undefined` if all of it is chosen. */
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}

/** What can be done with the animals that are chosen: above the lower edge of the window, so that nothing moves. */
export function Selection({ session, animals, onAll, onClear }: SelectionProps) {
  const available = animals.filter(({ status }) => status === "available");
  // A phone does not show the head of the table with its box for all, and has room for short labels alone.
  const isPhone = usePhone();
  const order = () => {
    const close = openDialog(<OrderAll session={session} animals={available} onClose={() => close()} />);
  };
  return (
    <section class="selection" aria-label="Chosen animals">
      <p>
        <strong role="status">{countOf(animals.length)} chosen</strong>
        {isPhone && onAll ? (
          <button type="button" class="button small quiet" onClick={onAll}>
            Choose all
          </button>
        ) : null}
        <button type="button" class="button small quiet" onClick={onClear}>
          Clear
        </button>
      </p>
      <p>
        {OFFERS_ORDERS && !session.forbidden.has("orders:write") ? (
          <button
            type="button"
            class="button small"
            aria-disabled={available.length === 0}
            onClick={() => available.length > 0 && order()}
          >
            {orderLabel(available.length, animals.length)}
          </button>
        ) : null}
        <CopyButton label="Copy ids" text={() => animals.map(({ id }) => `${id}\n`).join("")} />
        <button
          type="button"
          class="button small"
          onClick={() => download("animals.csv", csvOf("animals", animals))}
        >
          {isPhone ? "Export" : "Export as CSV"}
        </button>
      </p>
    </section>
  );
}

function orderLabel(available: number, chosen: number): string {
  if (available === 0) return "None is available";
  return available === chosen ? "Order them" : `Order ${available} available`;
}
