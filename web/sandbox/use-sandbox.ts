import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Done } from "../browser/toast.tsx";
import {
  ask,
  type Delivery,
  type DeliveryTarget,
  type JournalRequest,
  Refusal,
  type Space,
  type SpaceState,
} from "./control.ts";
import { DELIVERIES, type Latest, NO_ENTRIES, REQUESTS, readLatest } from "./latest-entries.ts";

/** How often the page looks what has changed, while somebody sees it. */
const LOOK_EVERY_MS = 2000;

/** What is kept of one look for the next. */
interface Lists {
  readonly requests: Latest<JournalRequest>;
  readonly deliveries: Latest<Delivery>;
}

const NOTHING: Lists = { requests: NO_ENTRIES, deliveries: NO_ENTRIES };

/** The chosen space of the sandbox, as it is now. */
interface Seen extends Lists {
  readonly key: string;
  readonly spaces: readonly Space[];
  readonly state: SpaceState;
  readonly snapshots: readonly string[];
  /** The addresses that get its events. */
  readonly targets: readonly DeliveryTarget[];
}

export interface Sandbox {
  /** `undefined` until the sandbox has answered. */
  readonly seen: Seen | undefined;
  /** Why the page does not know how the sandbox is now; empty if it does. */
  readonly problem: string;
  /** What was done last, until that was said. */
  readonly done: Done | undefined;
  forgetDone(): void;
  /** The operation whose requests are shown; if empty, all are. */
  readonly operation: string;
  choose(space: Space): void;
  chooseOperation(operation: string): void;
  readonly act: Act;
  /**
   * @param snapshot of the chosen space, in which the new one begins; left out: it begins in the first state
   * @returns why it was refused; empty if it was done
   */
  addSpace(snapshot?: string): Promise<string>;
}

/** Sends a request for the space, and says `done` in the end. @returns why it was refused; empty if it was done */
export type Act = (done: string, method: string, path: string, body?: object) => Promise<string>;

/** Follows a space of the sandbox, at first the first one. */
export function useSandbox(): Sandbox {
  /** Which space, and which of its requests. */
  const [view, setView] = useState({ key: "", operation: "" });
  const [seen, setSeen] = useState<Seen>();
  const [done, setDone] = useState<Done>();
  const [problem, setProblem] = useState("");
  const lists = useRef(NOTHING);
  // Looks may overtake each other: what an older one saw does not count after a newer one.
  const started = useRef(0);
  const finished = useRef(0);

  const show = useCallback((next: typeof view) => {
    finished.current = ++started.current;
    lists.current = NOTHING;
    setView(next);
  }, []);

  const look = useCallback(async () => {
    const number = ++started.current;
    const { key, operation } = view;
    const filter = operation && `&operation=${operation}`;
    try {
      const [{ spaces }, state, { snapshots }, { targets }, requests, deliveries] = await Promise.all([
        ask<{ spaces: readonly Space[] }>("", "GET", "/spaces"),
        ask<SpaceState>(key, "GET", ""),
        ask<{ snapshots: readonly string[] }>(key, "GET", "/snapshots"),
        ask<{ targets: readonly DeliveryTarget[] }>(key, "GET", "/deliveries?limit=0"),
        readLatest(key, REQUESTS, filter, lists.current.requests),
        readLatest(key, DELIVERIES, "", lists.current.deliveries),
      ]);
      if (number < finished.current) return;
      finished.current = number;
      lists.current = { requests, deliveries };
      setSeen({ key, spaces, state, snapshots, targets, ...lists.current });
      setProblem("");
    } catch (error) {
      if (number < finished.current) return;
      // The space was removed.
      if (error instanceof Refusal && error.status === 401 && key) return show({ key: "", operation });
      setProblem(messageOf(error));
    }
  }, [view]);
  // What is done may end after another view was chosen, and what is seen then is of that view.
  const latestLook = useRef(look);
  latestLook.current = look;

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

  /** Does something, and says so in the end. @returns its result, or why it was refused */
  const say = async <Result>(text: string, work: () => Promise<Result>) => {
    try {
      const result = await work();
      setDone({ text });
      return { result, refusal: "" };
    } catch (error) {
      return { refusal: messageOf(error) };
    }
  };
  // The space that is shown, while another one is being loaded.
  const shown = seen?.key ?? view.key;
  const choose = ({ keys }: Space) => show({ ...view, key: keys[0]?.key ?? "" });
  return {
    seen,
    problem,
    done,
    forgetDone: () => setDone(undefined),
    operation: view.operation,
    choose,
    chooseOperation: (operation) => show({ ...view, operation }),
    async act(done, method, path, body) {
      const { refusal } = await say(done, () => ask(shown, method, path, body));
      await latestLook.current();
      return refusal;
    },
    async addSpace(snapshot) {
      const path = snapshot === undefined ? "/spaces" : `/spaces?snapshot=${snapshot}`;
      const { result, refusal } = await say("The space is made.", () => ask<Space>(shown, "POST", path));
      if (result) choose(result);
      return refusal;
    },
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message;
}
