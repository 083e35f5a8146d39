import { useLayoutEffect } from "preact/hooks";

type Names = ReadonlyMap<string, string>;

let seen: Names = new Map();

/** The names that the key in use has shown, for search. */
export function namesSeen(): Names {
  return seen;
}

/** Lets search find the names of a session for as long as its key is used. */
export function useNamesSeen(names: Names): void {
  useLayoutEffect(() => {
    seen = names;
    return () => {
      seen = new Map();
    };
  }, [names]);
}
