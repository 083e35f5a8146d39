/** @jsxImportSource preact */

const SHORT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** A moment in the reader's own time zone; its title is exact. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {SHORT.format(new Date(at))}
    </time>
  );
}
