/** @jsxImportSource preact */

/** A cat that sleeps where nothing has happened yet. */
export function Cat() {
  return (
    <svg class="cat" viewBox="0 0 120 80" aria-hidden="true">
      <path d="M14 64c-3-24 18-41 46-41s48 15 48 36c0 9-6 14-14 14H26c-7 0-12-4-12-9z" />
      <path d="m27 47-4-18 15 8q8-3 16 0l14-8-3 18c4 14-5 22-19 22S23 61 27 47z" />
      <path d="M35 53q4 3 8 0m8 0q4 3 8 0m-14 6 2 2 2-2M94 73c15-2 17-17 8-23M80 12h7l-7 8h7m5-17h5l-5 6h5" />
    </svg>
  );
}
