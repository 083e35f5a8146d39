/** @jsxImportSource preact */
import type { PlaceName } from "../parts/brand.tsx";

/**
 * What a key is used for, how long it is kept, and where to get it. The server renders it too, so that what comes below the
 * field is in its place before a script adds the field.
 *
 * @param place `undefined` where there is a key
 */
export function KeyHint({ place }: { place: PlaceName | undefined }) {
  return (
    <>
      For “Try it” and the console. It is forgotten when you close the last tab that has it.
      {place === undefined ? null : (
        <span class="without-key">
          {" "}
          {place === "sandbox" ? (
            "“Control of this sandbox” shows its keys."
          ) : (
            <>
              The operator makes keys with <code>animal-store keys create</code>.
            </>
          )}
        </span>
      )}
    </>
  );
}
