import type { CommitObserver } from "../observations/commit-observer.ts";
import type { RequestObserver } from "../observations/request-observer.ts";

/** Combines observers of requests; `undefined` if there is none. At most one of them may have an `around`. */
export function combineRequestObservers(
  given: readonly (RequestObserver | undefined)[],
): RequestObserver | undefined {
  const observers = present(given);
  if (observers.length < 2) return observers[0];
  const around = observers.find((observer) => observer.around)?.around;
  return {
    answered: (request) => {
      for (const observer of observers) observer.answered(request);
    },
    streamEnded: (stream) => {
      for (const observer of observers) observer.streamEnded?.(stream);
    },
    ...(around && { around }),
  };
}

/** Combines observers of commits; `undefined` if there is none. At most one of them may have a `waits`. */
export function combineCommitObservers(
  given: readonly (CommitObserver | undefined)[],
): CommitObserver | undefined {
  const observers = present(given);
  if (observers.length < 2) return observers[0];
  const waits = observers.find((observer) => observer.waits)?.waits;
  return {
    queue: (length) => {
      for (const observer of observers) observer.queue?.(length);
    },
    ...(waits && { waits }),
    committed: (commit) => {
      for (const observer of observers) observer.committed(commit);
    },
  };
}

function present<Observer>(given: readonly (Observer | undefined)[]): Observer[] {
  return given.filter((observer) => observer !== undefined);
}
