/** @jsxImportSource preact */

/** Three dots, for a menu of what is used now and then. A phone has no room for the label. */
export function Dots({ label }: { label?: string }) {
  return (
    <>
      <svg class="dots" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M4 10h0m6 0h0m6 0h0" />
      </svg>
      {label ? <span class="wide">{label}</span> : null}
    </>
  );
}
