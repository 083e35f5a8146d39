/** @jsxImportSource preact */

/** The paw of the brand and the icon, for a `viewBox` of 32 by 32. */
export function Paw() {
  return (
    <>
      <path d="M16 15c-4 0-7 3.4-7 6.6 0 2.4 1.7 3.6 3.6 3.6 1.3 0 2.2-.6 3.4-.6s2.1.6 3.4.6c1.9 0 3.6-1.2 3.6-3.6C23 18.4 20 15 16 15z" />
      <ellipse cx="7.8" cy="14.5" rx="2.3" ry="2.9" />
      <ellipse cx="12.8" cy="9.4" rx="2.4" ry="3.1" />
      <ellipse cx="19.2" cy="9.4" rx="2.4" ry="3.1" />
      <ellipse cx="24.2" cy="14.5" rx="2.3" ry="2.9" />
    </>
  );
}
