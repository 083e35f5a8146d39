/** @jsxImportSource preact */
import type { Operation } from "../model/document.ts";
import { longDate } from "../parts/long-date.ts";

/** Warns a reader who is about to use an operation that it is deprecated, or not stable yet. */
export function Warnings({ operation: { isDeprecated, sunset, stability } }: { operation: Operation }) {
  return (
    <>
      {isDeprecated ? (
        <div class="callout warn" role="note">
          <strong>Deprecated{sunset ? `, removed on ${longDate(sunset)}` : ""}.</strong> From that day on the
          response is <code>410</code>. Do not build anything new on it; the text below names what replaces
          it.
        </div>
      ) : null}
      {stability === "stable" ? null : (
        <div class={stability === "beta" ? "callout warn" : "callout bad"} role="note">
          <strong>{stability === "beta" ? "Beta." : "Experimental."}</strong> This operation may change shape
          in any version. Stable operations never do.
        </div>
      )}
    </>
  );
}
