/** @jsxImportSource preact */
import type { Order, OrderStatus } from "../../client/contract.ts";
import { capitalized } from "../parts/capitalized.ts";
import { Time } from "./time.tsx";

const USUAL: readonly OrderStatus[] = ["placed", "approved", "delivered"];
const CANCELLED: readonly OrderStatus[] = ["placed", "cancelled"];

/** The way of an order: what it has passed, where it is, and what lies ahead. The service keeps its first time and its last. */
export function OrderTimeline({ order: { status, placedAt, updatedAt } }: { order: Order }) {
  const way = status === "cancelled" ? CANCELLED : USUAL;
  const reached = way.indexOf(status);
  return (
    <ol class="timeline">
      {way.map((each, at) => (
        <li
          key={each}
          class={at > reached ? "ahead" : each}
          aria-current={at === reached ? "step" : undefined}
        >
          <span>{capitalized(each)}</span>
          <span class="hint">
            {at === 0 ? (
              <Time at={placedAt} />
            ) : at === reached ? (
              <Time at={updatedAt} />
            ) : at > reached ? (
              "not yet"
            ) : null}
          </span>
        </li>
      ))}
    </ol>
  );
}
