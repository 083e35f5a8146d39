import { type Contents, nameOfAnimal } from "./contents.ts";

/** Animal Store asks this to learn whether its key is still valid: a statement of the simulation, for the one of `Keys`. */
export const KEY = "SELECT of the key, in the simulation";

/** A simulated PostgreSQL. */
export class SimulatedServer {
  readonly name: string;
  isStandby: boolean;
  isUp = true;
  timeline = 1;
  /** How often it was started. */
  starts = 1;
  /** All versions that its log leads to. A standby shares the log of its primary. */
  log: Contents[];
  /** The version in the log that it shows: a primary shows one once its commit is over, a standby once it has replayed it. */
  shown = 0;
  /** Until when a standby replays nothing. */
  pausedUntil = 0;

  constructor(name: string, log: Contents[], isStandby: boolean) {
    this.name = name;
    this.log = log;
    this.isStandby = isStandby;
  }

  get contents(): Contents {
    return this.log[this.shown] as Contents;
  }

  /**
   * The rows that answer a statement.
   *
   * @throws if the simulation does not know it
   */
  answer(text: string, values: readonly unknown[]): unknown[] {
    const { contents, isStandby } = this;
    for (const [part, rows] of ANSWERS) if (text.includes(part)) return rows(contents, values, this);
    throw new Error(`the simulated PostgreSQL ${isStandby ? "standby" : "primary"} does not know: ${text}`);
  }
}

type Rows = (contents: Contents, values: readonly unknown[], server: SimulatedServer) => unknown[];

/** The statements that it answers, by a part of their texts. The first that fits counts. */
const ANSWERS: readonly (readonly [string, Rows])[] = [
  // readStandbyMarks, readMarkedRevision
  [
    'AS "appendToken"',
    (contents, _, { isStandby }) => [{ ...marksOf(contents), isStandby, keys: contents.keysRevision }],
  ],
  // readTokensAt
  [
    "AS append,",
    ({ store, appends, rewrites }, [append, rewrite]) => [
      { store, append: appends[Number(append) - 1] ?? null, rewrite: rewrites[Number(rewrite) - 1] ?? null },
    ],
  ],
  // readRevision, where no standby is read from
  [
    "keys_revision AS keys",
    ({ appends, rewrites, keysRevision }) => [
      { appends: appends.length, rewrites: rewrites.length, keys: keysRevision },
    ],
  ],
  // readPosition, readPromotion
  ["AS received", (_, __, { timeline }) => [{ timeline, received: null }]],
  // isPromoted
  ["pg_is_in_recovery() AS standby", (_, __, { isStandby }) => [{ standby: isStandby }]],
  // Animals.find
  [
    "FROM animal_store.animal WHERE id = $1",
    (contents, [id]) => {
      const name = nameOfAnimal(contents, Number(id));
      return name === undefined ? [] : [{ id, name }];
    },
  ],
  [KEY, ({ isKeyValid }) => [{ isKeyValid }]],
];

function marksOf({ store, appends, rewrites }: Contents): object {
  return {
    store,
    appends: appends.length,
    appendToken: appends.at(-1) ?? null,
    rewrites: rewrites.length,
    rewriteToken: rewrites.at(-1) ?? null,
  };
}
