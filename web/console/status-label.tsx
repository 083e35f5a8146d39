/** @jsxImportSource preact */

/** A status, in a color and shape of its own. */
export function StatusLabel({
  status,
  isChanged = false,
}: {
  status: string | undefined;
  isChanged?: boolean;
}) {
  return (
    <span class={`state-label ${status}`}>
      {status}
      {isChanged ? <span class="visually-hidden">, changed just now</span> : null}
    </span>
  );
}
