/** @jsxImportSource preact */
import { Message } from "./message.tsx";

/** A notice of what the key may not do, in the service's words. */
export function Forbidden(props: {
  readonly id: string;
  /** What the key may not do, for example "add animals". */
  readonly action: string;
  readonly message: string | undefined;
}) {
  const { id, action, message } = props;
  if (message === undefined) return null;
  return (
    <p class="callout warn" id={id} role="alert">
      <strong>This key may not {action}.</strong> <Message text={message} />
    </p>
  );
}
