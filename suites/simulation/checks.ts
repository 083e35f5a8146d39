/** A change of the code. */
export interface Edit {
  /** From `src/stores/postgres` on. */
  readonly file: string;
  /** A text that stands in the file exactly once, and what stands there instead. */
  readonly from: string;
  readonly to: string;
}

/** A check of the code between servers, removed or turned around. */
export interface RemovedCheck extends Edit {
  /** What is no longer checked, in words. */
  readonly check: string;
  /** Where the same is checked once more. */
  readonly also?: readonly Edit[];
}

const READS = "standbys/standby-reads.ts";
const MARKS = "standbys/confirmed-marks.ts";

const WITHOUT_START: Edit = {
  file: "connect/failover.ts",
  from: "timeline === this.#fencing.timeline && began === found?.began && database === found.database",
  to: "timeline === this.#fencing.timeline && found !== undefined && began + database !== timeline",
};

const WITHOUT_REPLAYED: Edit = {
  file: READS,
  from: 'if (before.shown !== after.shown && (await this.#confirmed.judge(asOf.epoch, before)) !== "confirmed") {',
  to: "if (false) {",
};

const WITHOUT_ORDER: Edit = {
  file: READS,
  from: "const haveOrder = this.#confirmed.haveOrderOf(asOf.epoch, from, to);",
  to: "const haveOrder = from === to || true;",
};

/** The checks by which answers and commits of servers are believed. */
export const CHECKS: readonly RemovedCheck[] = [
  {
    check: "behind: a standby has reached the rewrites of the revision",
    file: READS,
    from: 'if (before.rewrites.number < asOf.marks.rewrites.number) return refuse("behind");',
    to: "",
  },
  {
    check: "behind: a standby has reached the appends of the revision",
    file: READS,
    from: "const isBehind = before.appends.number < asOf.marks.appends.number;",
    to: "const isBehind = false;",
  },
  {
    check: "behind: the marks before the reads count",
    file: READS,
    from: "const isBehind = before.appends",
    to: "const isBehind = after.appends",
  },
  {
    check:
      "behind: each log counts, not their sum: commits of both may show in another order than they have in the log",
    file: READS,
    from: 'if (before.rewrites.number < asOf.marks.rewrites.number) return refuse("behind");',
    to: `const sum = ({ appends, rewrites }: typeof asOf.marks) => appends.number + rewrites.number;
    if (sum(before) < sum(asOf.marks)) return refuse("behind");`,
    also: [
      {
        file: READS,
        from: "const isBehind = before.appends.number < asOf.marks.appends.number;",
        to: "const isBehind = false;",
      },
      WITHOUT_ORDER,
    ],
  },
  {
    check: "connection: marks from before a packet are those of its connection",
    file: "standbys/last-marks.ts",
    from: "this.#last.get(sql);",
    to: "(this as { any?: Last }).any;",
    also: [
      {
        file: "standbys/last-marks.ts",
        from: "this.#last.set(sql, { marks, askedAt });",
        to: "Object.assign(this, { any: { marks, askedAt } });",
      },
      WITHOUT_REPLAYED,
    ],
  },
  { check: "replayed: the primary has what a standby showed before its reads", ...WITHOUT_REPLAYED },
  {
    check: "ahead: the primary has shown what a standby shows",
    file: MARKS,
    from: 'return mark.number < latest ? "behind" : "ahead";',
    to: 'return mark.number < latest ? "behind" : "confirmed";',
    also: [WITHOUT_ORDER],
  },
  {
    check: "confirmed: what no revision has shown yet is asked about again",
    file: MARKS,
    from: "appends.number <= latest.appends.number",
    to: "latest",
    also: [{ file: MARKS, from: "rewrites.number <= latest.rewrites.number", to: "latest" }, WITHOUT_ORDER],
  },
  {
    check: "ahead: what shows more than its revision is not cached",
    file: READS,
    from: "if (isBeyond(after, asOf.marks)) turn.mayBeLater = true;",
    to: "",
    also: [WITHOUT_ORDER],
  },
  {
    check: "fallback: what was left to the primary, and read later than its revision, is not cached",
    file: READS,
    from: "      turn.mayBeLater = true;\n      fallBack(missed.reads);",
    to: "      fallBack(missed.reads);",
  },
  {
    check: "order: the primary has shown two changes in the order in which a standby shows them",
    ...WITHOUT_ORDER,
  },
  {
    check: "history: the primary has the tokens of a standby",
    file: MARKS,
    from: 'if (token !== undefined) return "other_history";',
    to: 'if (token !== undefined) return "confirmed";',
  },
  {
    check: "store: a standby holds the primary's store",
    file: READS,
    from: "before.store !== asOf.marks.store || after.store !== asOf.marks.store",
    to: "!asOf.marks.store",
    also: [
      { file: MARKS, from: "servedBy !== epoch || store !== marks.store", to: "servedBy !== epoch" },
      {
        file: MARKS,
        from: "return epoch === this.#epoch && store === this.#latest?.store;",
        to: "return epoch === this.#epoch;",
      },
    ],
  },
  {
    check: "table: a store that was restored with its tables is another one",
    file: "standbys/marks.ts",
    from: 'shown.split(" ")',
    to: 'shown.replace(/[.][0-9]+/, "").split(" ")',
    also: [
      {
        file: "standbys/marks.ts",
        from: "store: store ?? undefined",
        to: 'store: store?.replace(/[.][0-9]+/, "")',
      },
      WITHOUT_ORDER,
    ],
  },
  {
    check: "epoch: what another server has shown does not count",
    file: MARKS,
    from: "if (epoch > this.#epoch || marks.store !== this.#latest?.store) {",
    to: "this.#epoch = epoch;\n    if (marks.store !== this.#latest?.store) {",
  },
  {
    check: "agreement: an animal that a standby lacks may be new",
    file: "animals.ts",
    from: "holdsDespiteAppends: (rows) => rows.length > 0,",
    to: "holdsDespiteAppends: () => true,",
  },
  {
    check: "agreement: a page that no other follows may have grown",
    file: "animals.ts",
    from: 'holdsDespiteAppends: (rows) => sort === "id" && rows.length > limit',
    to: 'holdsDespiteAppends: () => sort === "id"',
  },
  {
    check: "agreement: the newest animals may have grown",
    file: "animals.ts",
    from: 'sort === "id" && rows.length > limit',
    to: "rows.length > limit",
  },
  {
    check: "start: a new connection leads to a server that was not started again",
    ...WITHOUT_START,
  },
  {
    check: "start and earlier: a server that goes on from an earlier state is another one, whatever tells it",
    ...WITHOUT_START,
    also: [{ file: "shown-marks.ts", from: "before?.epoch !== epoch ||", to: "shown !== before ||" }],
  },
  {
    check: "lost: a server without any connection left is searched for again",
    file: "connect/pool.ts",
    from: "const isKnown = isSame && !this.#isLost;",
    to: "const isKnown = isSame;",
  },
  {
    check: "epoch: another server is another epoch",
    file: "connect/failover.ts",
    from: "    this.#epoch++;\n    this.#host = host;",
    to: "    this.#host = host;",
  },
  {
    check: "earlier: the server in use shows no less than before",
    file: "shown-marks.ts",
    from: "if (hasGoneBack(before, shown)) return false;",
    to: "",
  },
  {
    check: "earlier: a server that shows more still has what it showed before",
    file: "shown-marks.ts",
    from: "if (!isProved && !(await hasKept(sql, before, shown))) return false;",
    to: "",
  },
  {
    check: "earlier: what a server showed before it went on from an earlier state is of another epoch",
    file: "connect/failover.ts",
    from: "return epoch + 0.5;",
    to: "return epoch;",
  },
  {
    check: "role: a standby is not the primary",
    file: "connect/primary.ts",
    from: 'if (standby) return new Refused("is a standby, which takes no writes; name the primary too");',
    to: 'if (standby && timeline < 0) return new Refused("");',
  },
  {
    check: "timeline: a replaced primary is not used",
    file: "connect/primary.ts",
    from: "if (timeline < latest) {",
    to: "if (timeline < 0) {",
    also: [
      {
        file: "connect/failover.ts",
        from: "if (session.server.timeline >= this.#fencing.timeline) return found;",
        to: "if (session) return found;",
      },
    ],
  },
  {
    check: "cluster: a server of another cluster is not used",
    file: "connect/cluster.ts",
    from: "if (known === undefined || cluster === undefined || cluster === known) return undefined;",
    to: "if (known !== UNDECIDED) return undefined;",
  },
  {
    check: "fencing: the other servers are asked after each commit",
    file: "connect/fencing.ts",
    from: "for (const position of await this.#others.positions()) this.#note(position.timeline);",
    to: "",
  },
  {
    check: "fencing: a commit of a replaced primary is not acknowledged",
    file: "connect/fencing.ts",
    from: "if (timeline >= this.#timeline) return;",
    to: "if (timeline >= 0) return;",
  },
  {
    check: "fencing: a slow commit must have been received by a standby",
    file: "connect/fencing.ts",
    from: "if (tookMs > SLOW_COMMIT_MS) await this.#assertReceived();",
    to: "",
  },
  {
    check: "watch: the other servers say every second whether one was promoted",
    file: "connect/other-servers.ts",
    from: "for (const position of await this.#ask(readPosition)) this.#onAnswer(position);",
    to: "await this.#ask(readPosition);",
  },
  {
    check: "confirmation: a response waits for that of its commit",
    file: "transactions.ts",
    from: "this.#confirmed.push(confirmed);",
    to: "",
  },
  {
    check: "revision: the reads of a turn follow its revision",
    file: "read-batcher.ts",
    from: "this.#turn = newTurn();",
    to: "this.#turn = { ...this.#turn, mayBeLater: false };",
  },
  {
    check: "repetition: a write whose outcome is unknown is not sent again",
    file: "connect/pool.ts",
    from: "const result = await this.#run(this.#writers, noted, performance.now() + withinMs);",
    to: "const due = performance.now() + withinMs;\n      const result = await this.#run(this.#writers, noted, due).catch(() => this.#run(this.#writers, noted, due));",
  },
  {
    check: "keys: a write goes ahead only while no key has changed",
    file: "transactions.ts",
    from: "return ifKeysAt ? BigInt(ifKeysAt.keys) : null;",
    to: "return null;",
  },
  {
    check: "feed: ids of events go on beyond those of the server before",
    file: "prepare-writing.ts",
    from: "pool.prepareEachServer(continueOnServer);",
    to: "",
  },
  {
    check: "feed: ids of events go on beyond those of each server before, not of the first alone",
    file: "connect/pool.ts",
    from: "if (epoch === this.#preparedEpoch) return work(sql, epoch, process);",
    to: "if (this.#preparedEpoch > 0) return work(sql, epoch, process);",
  },
  {
    check: "feed: a position that is of no event has expired",
    file: "events.ts",
    from: "if (after !== undefined && !isInFeed(after, expiredThrough, hasAfter)) return",
    to: "if (after !== undefined && after < expiredThrough) return",
  },
  {
    check: "recording: a store that has gone back to before it is recorded again",
    file: "../../service/recording.ts",
    from: "else if (seen === undefined || expiredThrough < seen) {",
    to: "else if (seen === undefined) {",
  },
  {
    check: "stream: a reader moves on behind what it has passed on",
    file: "../../feed/feed-reader.ts",
    from: "this.#position = end;",
    to: "this.#position = end - 1n;",
  },
];
