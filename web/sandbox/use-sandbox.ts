import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, Refusal, type Space, type SpaceState } from "./control.ts";
import { type LatestRequests, NO_REQUESTS, readLatest } from "./latest-requests.ts";

/** How often the page looks what has changed, while somebody sees it. */
const LOOK_EVERY_MS = 2000;

/** What the last action came to. */
interface Outcome {
  readonly text: string;
  readonly isRefusal: boolean;
}

/** The chosen space of the sandbox, as it is now. */
interface Seen {
  readonly key: string;
  readonly spaces: readonly Space[];
  readonly state: SpaceState;
  readonly snapshots: readonly string[];
  readonly journal: LatestRequests;
}

export interface Sandbox {
  /** `undefined` until the sandbox has answered. */
  readonly seen: Seen | undefined;
  readonly outcome: Outcome | undefined;
  /** The operation whose requests are shown; if empty, all are. */
  readonly operation: string;
  choose(space: Space): void;
  chooseOperation(operation: string): void;
  /** Sends a request for the space and says how it ended. @returns whether it was done */
  readonly act: Act;
  /** @param snapshot of the chosen space, in which the new one begins; left out: it begins in the first state */
  addSpace(snapshot?: string): Promise<void>;
}

export type Act = (done: string, method: string, path: string, body?: object) => Promise<boolean>;

/** Follows a space of the sandbox, at first the first one. */
export function useSandbox(): Sandbox {
  /** Which space, and which of its requests. */
  const [view, setView] = useState({ key: "", operation: "" });
  const [seen, setSeen] = useState<Seen>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [problem, setProblem] = useState<Outcome>();
  const journal = useRef(NO_REQUESTS);
  // Looks may overtake each other: what an older one saw does not count after a newer one.
  const started = useRef(0);
  const finished = useRef(0);

  const show = useCallback((next: typeof view) => {
    finished.current = ++started.current;
    journal.current = NO_REQUESTS;
    setView(next);
  }, []);

  const look = useCallback(async () => {
    const number = ++started.current;
    const { key, operation } = view;
    const filter = operation && `&operation=${operation}`;
    try {
      const [{ spaces }, state, { snapshots }, latest] = await Promise.all([
        ask<{ spaces: readonly Space[] }>("", "GET", "/spaces"),
        ask<SpaceState>(key, "GET", ""),
        ask<{ snapshots: readonly string[] }>(key, "GET", "/snapshots"),
        readLatest(key, filter, journal.current),
      ]);
      if (number < finished.current) return;
      finished.current = number;
      journal.current = latest;
      setSeen({ key, spaces, state, snapshots, journal: latest });
      setProblem(undefined);
    } catch (error) {
      if (number < finished.current) return;
      // The space was removed.
      if (error instanceof Refusal && error.status === 401 && key) return show({ key: "", operation });
      setProblem(refusalOf(error));
    }
  }, [view]);

  useEffect(() => {
    let hasEnded = false;
    let timer: ReturnType<typeof setTimeout>;
    const follow = async () => {
      if (!document.hidden) await look();
      if (!hasEnded) timer = setTimeout(follow, LOOK_EVERY_MS);
    };
    void follow();
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  }, [look]);

  /** Does something, and says how it ended. @returns its result, if it was done */
  const say = async <Result>(done: string, work: () => Promise<Result>) => {
    try {
      const result = await work();
      setOutcome({ text: done, isRefusal: false });
      return { result };
    } catch (error) {
      setOutcome(refusalOf(error));
      return undefined;
    }
  };
  // The space that is shown, while another one is being loaded.
  const shown = seen?.key ?? view.key;
  const choose = ({ keys }: Space) => show({ ...view, key: keys[0]?.key ?? "" });
  return {
    seen,
    outcome: problem ?? outcome,
    operation: view.operation,
    choose,
    chooseOperation: (operation) => show({ ...view, operation }),
    async act(done, method, path, body) {
      const outcome = await say(done, () => ask(shown, method, path, body));
      await look();
      return outcome !== undefined;
    },
    async addSpace(snapshot) {
      const path = snapshot === undefined ? "/spaces" : `/spaces?snapshot=${snapshot}`;
      const added = await say("The space is made.", () => ask<Space>(shown, "POST", path));
      if (added) choose(added.result);
    },
  };
}

function refusalOf(error: unknown): Outcome {
  if (!(error instanceof Refusal)) throw error;
  return { text: error.message, isRefusal: true };
}
