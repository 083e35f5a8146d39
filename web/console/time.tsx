/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";

const SHORT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How often a recent time is told again. */
const RETOLD_MS = 20 * SECOND_MS;

/** A moment, by how long ago it was if that was today, else in the reader's own time zone; its title is exact. */
export function Time({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  const isRecent = now - Date.parse(at) < DAY_MS;
  useEffect(() => {
    if (!isRecent) return;
    const timer = setInterval(() => setNow(Date.now()), RETOLD_MS);
    return () => clearInterval(timer);
  }, [isRecent]);
  return (
    <time dateTime={at} title={SHORT.format(new Date(at))}>
      {tell(at, now)}
    </time>
  );
}

function tell(at: string, now: number): string {
  const age = now - Date.parse(at);
  // A clock that differs by less than a minute is no reason for a date in the future.
  if (Math.abs(age) < MINUTE_MS) return "just now";
  if (age < 0 || age >= DAY_MS) return SHORT.format(new Date(at));
  return age < HOUR_MS ? `${Math.floor(age / MINUTE_MS)} min ago` : `${Math.floor(age / HOUR_MS)} h ago`;
}
