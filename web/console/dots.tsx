/** @jsxImportSource preact */

/** Three dots, for a menu of what is used now and then. A phone has no room for the label. */
export function Dots({ label }: { label?: string }) {
  return (
    <>
      <svg class="dots" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="4" cy="10" r="1.6" />
        <circle cx="10" cy="10" r="1.6" />
        <circle cx="16" cy="10" r="1.6" />
      </svg>
      {label ? <span class="wide">{label}</span> : null}
    </>
  );
}
