/** @jsxImportSource preact */
import { useRef, useState } from "preact/hooks";
import { type Animal, type Order, placeOrder } from "../../client/contract.ts";
import { randomId } from "../../client/request.ts";
import { Message } from "./message.tsx";
import { refusedChange } from "./refused-change.ts";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";

/** Orders the animal. The service decides whether that is possible; its message appears beside the button. */
export function PlaceOrder(props: {
  readonly session: Session;
  readonly animal: Animal;
  readonly onPlaced: (order: Order) => void;
}) {
  const { session, animal, onPlaced } = props;
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState("");
  /** It belongs to one order: a retry after a lost response sends it again. */
  const key = useRef(randomId());
  const mayNot = session.forbidden.get("orders:write");
  const isAvailable = animal.status === "available";

  const place = async () => {
    if (isSending) return;
    setSending(true);
    const { response } = await session.service.call({
      method: "POST",
      path: "/orders",
      headers: { "Content-Type": "application/json", "Idempotency-Key": key.current },
      body: `{"petId":${animal.id}}`,
    });
    setSending(false);
    const order = resultOf(response, placeOrder);
    if (order) {
      setFault("");
      key.current = randomId();
      return onPlaced(order);
    }
    setFault(
      refusedChange(session, "orders:write", response) ??
        "No response came. Try again: one order is placed, however often you try.",
    );
  };
  return (
    <>
      {isAvailable && mayNot === undefined ? (
        <p>
          <button type="button" class="button primary" aria-disabled={isSending} onClick={place}>
            {isSending ? "Placing…" : "Place an order"}
          </button>
        </p>
      ) : null}
      {fault ? (
        <p class="fault" role="alert">
          <Message text={fault} />
        </p>
      ) : null}
    </>
  );
}
