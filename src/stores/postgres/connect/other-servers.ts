import { Pauses } from "../../../system/pauses.ts";
import { within } from "../../../system/within.ts";
import { type Position, readPosition, readPromotion } from "./position.ts";
import { connect, endSession, type Session, type Target } from "./server.ts";
import type { ServerInfo } from "./server-info.ts";
import type { Host } from "./url.ts";

type Question = typeof readPosition;

/** How often the other servers are asked for their position. */
const ASK_EVERY_MS = 1000;

/**
 * The pause between two attempts to connect to a server; it doubles up to the maximum. Until the server answers, no commit
 * can be checked against it.
 */
const PAUSE_MIN_MS = 50;
const PAUSE_MAX_MS = 500;

/** A server that does not answer in this time counts as unreachable until it is reconnected. */
const ANSWER_MS = 500;

/** The pause between two checks whether a standby has received a commit. */
const RECEIVED_EVERY_MS = 20;

/**
 * The servers of a URL other than the one in use, with a connection to each that can be reached. A primary that was replaced may
 * continue as if nothing had happened: only its successor, and the standbys of its successor, know better.
 */
export class OtherServers {
  readonly #target: Target;
  readonly #onAnswer: (position: Position) => void;
  readonly #refuses: (host: Host, server: ServerInfo) => boolean;
  #servers: readonly OtherServer[] = [];
  #timer: Timer | undefined;

  /**
   * @param onAnswer receives each server's position, again and again
   * @param refuses says of each server that is connected whether it must not be asked: then it counts as unreachable
   */
  constructor(
    target: Target,
    onAnswer: (position: Position) => void,
    refuses: (host: Host, server: ServerInfo) => boolean,
  ) {
    this.#target = target;
    this.#onAnswer = onAnswer;
    this.#refuses = refuses;
  }

  /** Watches all servers except the one in use, until `stop`. */
  watch(inUse: Host): void {
    const watched = new Map(this.#servers.map((server) => [server.host, server]));
    watched.get(inUse)?.close();
    const others = this.#target.hosts.filter((host) => host !== inUse);
    if (others.length === 0) return;
    this.#servers = others.map(
      (host) => watched.get(host) ?? new OtherServer(host, this.#target, this.#refuses),
    );
    clearInterval(this.#timer);
    const look = async () => {
      for (const position of await this.#ask(readPosition)) this.#onAnswer(position);
    };
    this.#timer = setInterval(() => void look(), ASK_EVERY_MS);
    for (const server of this.#servers) void server.connect();
  }

  /** The current positions of the servers that answer. Those of standbys have no timeline. */
  positions(): Promise<Position[]> {
    return this.#ask(readPromotion);
  }

  /**
   * Whether one of these servers has a part of the primary's log on its disk.
   *
   * @param upTo the end of that part, in bytes
   * @param due when to give up, by the monotonic clock, in milliseconds
   */
  async haveReceived(upTo: bigint, due: number): Promise<boolean> {
    while (performance.now() < due) {
      const positions = await this.positions();
      if (positions.some(({ received = -1n }) => received >= upTo)) return true;
      await Bun.sleep(RECEIVED_EVERY_MS);
    }
    return false;
  }

  async #ask(question: Question): Promise<Position[]> {
    if (this.#servers.length === 0) return [];
    const answers = await Promise.all(this.#servers.map((server) => server.ask(question)));
    return answers.filter((answer) => answer !== undefined);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const server of this.#servers) server.close();
    this.#servers = [];
  }
}

class OtherServer {
  readonly host: Host;
  readonly #target: Target;
  readonly #refuses: (host: Host, server: ServerInfo) => boolean;
  #session: Session | undefined;
  #isConnecting = false;
  /** Resolves when the first attempt to connect has ended: until then nothing is known of this server. */
  readonly #tried = Promise.withResolvers<void>();
  #closed = false;

  constructor(host: Host, target: Target, refuses: (host: Host, server: ServerInfo) => boolean) {
    this.host = host;
    this.#target = target;
    this.#refuses = refuses;
  }

  /** Connects in the background, again and again, unless it is connected. */
  async connect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    const pauses = new Pauses(PAUSE_MIN_MS, PAUSE_MAX_MS);
    while (!this.#session && !this.#closed) {
      await this.#tryToConnect();
      this.#tried.resolve();
      if (!this.#session) await pauses.wait();
    }
    this.#isConnecting = false;
  }

  /** `undefined` if the server does not answer in time. Its connection is then closed. */
  async ask(question: Question): Promise<Position | undefined> {
    const connected = this.#tried.promise.then(() => this.#session);
    const session = await within(ANSWER_MS, connected, () => undefined);
    if (!session) return undefined;
    const answer = question(session.sql).catch(() => undefined);
    const position = await within(ANSWER_MS, answer, () => undefined);
    if (!position) this.#drop(session);
    return position;
  }

  close(): void {
    this.#closed = true;
    if (this.#session) this.#drop(this.#session);
  }

  async #tryToConnect(): Promise<void> {
    try {
      const session = await connect(this.host, this.#target, false);
      if (this.#closed || this.#refuses(this.host, session.server)) return endSession(session);
      this.#session = session;
      void session.lost.then(() => this.#drop(session));
    } catch {
      // It is tried again.
    }
  }

  #drop(session: Session): void {
    void endSession(session);
    if (this.#session !== session) return;
    this.#session = undefined;
    void this.connect();
  }
}
