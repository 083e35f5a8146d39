import { generateApiKey } from "../../../src/domain/api-key.ts";

/** Every way by which a secret enters, and what enters by it. */
const ENTRANCES = {
  environment: "password",
  "`.env`": "password",
  "URL of the database": "password",
  "flag of a setting": "password",
  "argument of a command": "key",
  "file of a TLS key": "password",
  "file to import": "key",
  "name of a key": "key",
  "secret of a relay": "password",
  "`API_KEY` of a client": "key",
  "`Authorization`": "key",
  "other headers": "key",
  path: "key",
  query: "key",
  body: "key",
  console: "key",
} as const;

/** Every way by which something leaves. */
const EXITS = [
  "log",
  "standard error",
  "crash output",
  "core file",
  "metrics",
  "traces",
  "error body",
  "`--json`",
  "`--help`",
  "process list",
  "browser history",
] as const;

export type Entrance = keyof typeof ENTRANCES;
export type Exit = (typeof EXITS)[number];

/** How many characters of a secret give it away. */
const TELLING = 8;
const KEY_PREFIX_LENGTH = "as_live_".length;

/** A secret of its own for each entrance, and what has left by each exit. */
export class Secrets {
  readonly #secrets = new Map<string, string>();
  readonly #left = new Map<Exit, string>(EXITS.map((exit) => [exit, ""]));
  /** Where a message says again what a client has sent, to that client. */
  readonly #echoed = new Set<Entrance>();

  constructor() {
    for (const [entrance, kind] of Object.entries(ENTRANCES)) {
      const key = generateApiKey("production", (length) => crypto.getRandomValues(new Uint8Array(length)));
      // A password looks like no key, so that nothing masks it for being one.
      this.#secrets.set(entrance, kind === "key" ? key : key.slice(KEY_PREFIX_LENGTH));
    }
  }

  of(entrance: Entrance): string {
    return this.#secrets.get(entrance) as string;
  }

  /** Has a secret that the program has made enter in place of the one made for it. */
  set(entrance: Entrance, secret: string): void {
    this.#secrets.set(entrance, secret);
  }

  take(exit: Exit, text: string): void {
    this.#left.set(exit, `${this.#left.get(exit)}\n${text}`);
  }

  /** Takes what a client got for what it has sent by an entrance. */
  takeResponse(entrance: Entrance, text: string): void {
    if (text.includes(this.of(entrance))) this.#echoed.add(entrance);
    this.take("error body", text.replaceAll(this.of(entrance), "what this client sent"));
  }

  /** The exits by which nothing has left, so that nothing could be found there. */
  get unused(): Exit[] {
    return EXITS.filter((exit) => (this.#left.get(exit)?.trim().length ?? 0) < 20);
  }

  /** Every way by which something leaves, as a sentence has them. */
  get exits(): string {
    return EXITS.join(", ");
  }

  /** By which exits eight characters of each secret have left, as a table in Markdown: a row for those with the same exits. */
  get table(): string {
    const entrances = Object.keys(ENTRANCES) as Entrance[];
    const rows = Map.groupBy(entrances, (entrance) => this.#shownIn(entrance));
    return ["| enters by | appears in |", "| --- | --- |"]
      .concat([...rows].map(([exits, those]) => `| ${those.join(", ")} | ${exits} |`))
      .join("\n");
  }

  #shownIn(entrance: Entrance): string {
    const echoed = this.#echoed.has(entrance) ? ["error body, to its sender alone"] : [];
    const shown = [...EXITS.filter((exit) => this.#hasLeft(entrance, exit)), ...echoed];
    return shown.length === 0 ? "nothing" : shown.join(", ");
  }

  #hasLeft(entrance: Entrance, exit: Exit): boolean {
    const secret = this.of(entrance);
    const random = ENTRANCES[entrance] === "key" ? secret.slice(KEY_PREFIX_LENGTH) : secret;
    const left = this.#left.get(exit) ?? "";
    for (let at = 0; at + TELLING <= random.length; at++)
      if (left.includes(random.slice(at, at + TELLING))) return true;
    return false;
  }
}
