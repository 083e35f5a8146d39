import type { CommitObserver, RequestObserver } from "../domain/observation.ts";

/** One observer of requests in place of several; `undefined` where there is none. One at most has an `around`. */
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
    ...(around && { around }),
  };
}

/** One observer of commits in place of several; `undefined` where there is none. One at most has a `waits`. */
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
