/** @jsxImportSource preact */

const ROWS = [72, 48, 64, 56, 80, 44, 60, 52];

/** The shape of a table while the first page is on its way. */
export function LoadingTable({ of }: { of: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading {of}…</span>
      {ROWS.map((width, row) => (
        <svg key={row} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect x="0" y="2" width="6" height="4" rx="1" />
          <rect x="12" y="2" width={width * 0.6} height="4" rx="1" />
          <rect x="88" y="2" width="12" height="4" rx="1" />
        </svg>
      ))}
    </div>
  );
}
