/** @jsxImportSource preact */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Order, updateOrder } from "../../client/contract.ts";
import { Message } from "./message.tsx";
import { takeStep } from "./order-step.ts";
import { type Step, stepsOf } from "./order-steps.ts";
import { refusedChange } from "./refused-change.ts";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { markStale } from "./stale.ts";

interface Props {
  readonly session: Session;
  readonly order: Order;
  /** Whether the next step is what the place is for, and no button among others. */
  readonly isMain?: boolean;
  readonly onChanged: (order: Order) => void;
}

/** The steps that an order may take, as buttons. The service's message about a refused step appears beside them. */
export function OrderActions({ session, order, isMain, onChanged }: Props) {
  const [sending, setSending] = useState<string>();
  const [asked, setAsked] = useState<Step>();
  const [fault, setFault] = useState("");
  const [news, setNews] = useState("");
  const group = useRef<HTMLFieldSetElement>(null);
  const yes = useRef<HTMLButtonElement>(null);
  const mayNot = session.forbidden.get("orders:write");
  useLayoutEffect(() => yes.current?.focus(), [asked]);
  // A question about an earlier status has lost its meaning.
  const { status } = order;
  useEffect(() => setAsked(undefined), [status]);

  const take = async (step: Step) => {
    if (sending) return;
    setAsked(undefined);
    setFault("");
    setSending(step.to);
    const { response, hasChanged } = await takeStep(session.service, order, step.to);
    setSending(undefined);
    const changed = hasChanged ? undefined : resultOf(response, updateOrder);
    // The button has gone, or means something else now: the focus stays here, and on none of the others.
    group.current?.focus();
    if (changed) {
      setNews(`Order ${order.id} is ${changed.status}.`);
      return onChanged(changed);
    }
    if (hasChanged) {
      setFault(
        "This order has changed since it was shown, and nothing was done. Look at it again, then decide.",
      );
      return markStale();
    }
    setFault(
      refusedChange(session, "orders:write", response) ??
        "No response came. Try again: a step that was taken is not taken twice.",
    );
  };
  const steps = mayNot === undefined ? stepsOf(order) : [];
  return (
    <fieldset ref={group} class="order-actions" aria-label={`Order ${order.id}`} tabIndex={-1}>
      {asked ? (
        <>
          <span class="question">{asked.question?.(order)}</span>
          <button
            ref={yes}
            type="button"
            class={asked.to === "cancelled" ? "button small danger" : "button small primary"}
            onClick={() => take(asked)}
          >
            {asked.label} it
          </button>
          <button
            type="button"
            class="button small"
            onClick={() => {
              setAsked(undefined);
              group.current?.focus();
            }}
          >
            Back
          </button>
        </>
      ) : (
        steps.map((step) => (
          <button
            key={step.to}
            type="button"
            class={`button ${isMain ? "" : "small "}${step.to === "cancelled" ? "quiet" : isMain ? "primary" : ""}`}
            aria-disabled={sending !== undefined}
            onClick={() => (step.question ? setAsked(step) : take(step))}
          >
            {sending === step.to ? "Sending…" : step.label}
          </button>
        ))
      )}
      {fault ? (
        <p class="fault" role="alert">
          <Message text={fault} />
        </p>
      ) : null}
      <span class="visually-hidden" role="status">
        {news}
      </span>
    </fieldset>
  );
}
