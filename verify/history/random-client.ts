import { animalOf, animalsOf, type Content, parseExact, STATUSES } from "../animal.ts";
import { type Answer, type Call, type Client, NoAnswer } from "../client.ts";
import { assert } from "../contract-violation.ts";
import { name as anyName, int64, writeInteger, writeString } from "../fuzz/bodies.ts";
import { judgeBody } from "../fuzz/body-model.ts";
import { nextQueryOf } from "../headers.ts";
import type { Random } from "../random.ts";
import type { History, Intent, PageQuery, Shown } from "./history.ts";

/** A page that a client remembers, to ask later whether it has changed. */
interface SavedPage extends PageQuery, Shown {
  readonly path: string;
  readonly etag: string;
  readonly limit: number;
  readonly more: boolean;
}

/** The position at which a list continues. */
interface Position extends PageQuery {
  readonly cursor: string;
}

/** What the clients of a run know, shared between them. */
export class Knowledge {
  readonly history: History;
  /** Creates under a retry key, by it. */
  readonly retries: { readonly key: string; readonly intent: Intent }[] = [];
  readonly positions: Position[] = [];
  readonly pages: SavedPage[] = [];
  latest: SavedPage | undefined;
  highest = 0;
  /** Some of the animals that are acknowledged, most of them available, for those that buy animals. */
  readonly unordered: number[] = [];
  /** Where the last page of the whole list begins, as far as is known. */
  frontier: Position | undefined;
  /** How often each kind of operation was done. */
  readonly counts: Record<string, number> = {};
  /** Requests that the service answered with 503. */
  putOff = 0;

  constructor(history: History) {
    this.history = history;
  }

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** Whether the answer is 503: the store had no time, so the answer proves nothing. */
  isPutOff({ status }: Answer): boolean {
    if (status === 503) this.putOff++;
    return status === 503;
  }
}

const SAVED_MAX = 500;
/** As many as buyers may want next: they order animals that were added early, which the first pages show. */
const UNORDERED_MAX = 20;
/** A client that gives up does so within this time, mostly before the answer. */
const PATIENCE_MAX_MS = 6;

/** One client of several, whose next step is random. */
export class RandomClient {
  readonly #clients: readonly Client[];
  readonly #knowledge: Knowledge;
  readonly #name: string;
  #random: Random;

  /** @param clients of the instances that it may turn to */
  constructor(clients: readonly Client[], knowledge: Knowledge, name: string, random: Random) {
    this.#clients = clients;
    this.#knowledge = knowledge;
    this.#name = name;
    this.#random = random;
  }

  /** Takes one random step. @throws BrokenPromise */
  async step(random: Random, turn: number): Promise<void> {
    this.#random = random;
    const name = `${this.#name}.${turn}`;
    await random.weighted<() => Promise<void>>([
      [30, () => this.#create(name)],
      [6, () => this.#createAtOnce(name)],
      [5, () => this.#createUntilAnswered(name)],
      [3, () => this.#createAndForget(name)],
      [5, () => this.#repeat()],
      [2, () => this.#reuse(name)],
      [14, () => this.#list()],
      [24, () => this.#lookAtTheEnd()],
      [8, () => this.#goOn()],
      [8, () => this.#askAgain()],
      [8, () => this.#get()],
      [1, () => this.#walk()],
    ])();
  }

  async #create(name: string): Promise<void> {
    const { content, body } = this.#animal(name);
    const key = this.#random.chance(0.3) ? name : undefined;
    const call = createCall(body, key);
    const client = this.#client();
    if (typeof content === "string") {
      const answer = await client.send(call);
      this.#knowledge.count("refused");
      return expectStatus(answer, 400, client.curl(call));
    }
    const intent = this.#intend(content, client.curl(call), key);
    this.#knowledge.count("create");
    await this.#send(client, call, intent);
  }

  /** Sends one create several times at once, under one key. */
  async #createAtOnce(name: string): Promise<void> {
    const { content, body } = this.#validAnimal(name);
    const call = createCall(body, name);
    const clients = Array.from({ length: this.#random.between(2, 4) }, () => this.#client());
    const intent = this.#intend(content, clients[0]?.curl(call) ?? "", name);
    this.#knowledge.count("retry at once");
    await Promise.all(clients.map((client) => this.#send(client, call, intent)));
  }

  /** Gives up early, then repeats the create under the same key until an answer arrives. */
  async #createUntilAnswered(name: string): Promise<void> {
    const { content, body } = this.#validAnimal(name);
    const call = createCall(body, name);
    const intent = this.#intend(content, this.#client().curl(call), name);
    for (let tries = this.#random.between(1, 3); tries > 0; tries--) await this.#giveUp(call, intent);
    this.#knowledge.count("retry of a lost answer");
    await this.#send(this.#client(), call, intent);
  }

  /** Gives up and never repeats the create: its animal may be stored or not. */
  async #createAndForget(name: string): Promise<void> {
    const { content, body } = this.#validAnimal(name);
    const call = createCall(body);
    this.#knowledge.count("lost answer");
    await this.#giveUp(call, this.#intend(content, this.#client().curl(call)));
  }

  /** Repeats an earlier create, with its content written differently. */
  async #repeat(): Promise<void> {
    const at = this.#random.below(2 ** 31);
    const earlier = this.#knowledge.retries[at % this.#knowledge.retries.length];
    if (!earlier) return;
    const { key, intent } = earlier;
    this.#knowledge.count("retry");
    await this.#send(this.#client(), createCall(this.#write(intent.content), key), intent);
  }

  /** Reuses an earlier key for other content. */
  async #reuse(name: string): Promise<void> {
    const { body } = this.#validAnimal(name);
    const earlier = this.#knowledge.retries[this.#random.below(2 ** 31) % this.#knowledge.retries.length];
    // Until the earlier create is answered, either of the two may be the first.
    if (earlier?.intent.id === undefined) return;
    const call = createCall(body, earlier.key);
    const client = this.#client();
    const answer = await client.send(call);
    this.#knowledge.count("key for other content");
    expectStatus(answer, 422, client.curl(call));
  }

  async #list(): Promise<void> {
    const filter = this.#random.pick([undefined, undefined, ...STATUSES]);
    const limit = this.#random.chance(0.2) ? undefined : this.#random.between(1, 100);
    await this.#page({ filter, after: 0 }, limit);
  }

  /** Asks for the page that changes with every create, by the same URL as all other clients. */
  async #lookAtTheEnd(): Promise<void> {
    const { frontier } = this.#knowledge;
    const page = frontier ?? { filter: undefined, after: 0 };
    const next = await this.#page(page, 100, frontier?.cursor);
    if (next && next.after > (this.#knowledge.frontier?.after ?? 0)) this.#knowledge.frontier = next;
  }

  async #goOn(): Promise<void> {
    const { positions } = this.#knowledge;
    const at = this.#random.below(2 ** 31);
    const limit = this.#random.between(1, 100);
    const position = positions[at % positions.length];
    if (position) await this.#page(position, limit, position.cursor);
  }

  /** Asks whether a page that was seen before has changed. */
  async #askAgain(): Promise<void> {
    const { pages, history } = this.#knowledge;
    const at = this.#random.below(2 ** 31);
    // Mostly the page that was seen last.
    const kept = this.#random.chance(0.7) ? this.#knowledge.latest : pages[at % pages.length];
    if (!kept) return;
    const { path, etag, more, limit } = kept;
    const client = this.#client();
    const call = { path, headers: { "If-None-Match": etag } };
    const answer = await client.send(call);
    this.#knowledge.count("list, if changed");
    const span = { from: answer.from, to: answer.to, request: client.curl(call) };
    if (answer.status !== 304) {
      this.#learnPage(kept, limit, answer, path, client.curl(call));
      return;
    }
    assert(
      answer.headers.get("etag") === etag,
      `the ETag ${etag}`,
      `${answer.headers.get("etag")}`,
      span.request,
    );
    history.pageAgain(kept, kept, more, span);
  }

  async #get(): Promise<void> {
    // Mostly an existing animal; sometimes one that may be created right now.
    const part = this.#random.below(1_000_000) / 1_000_000;
    const beyond = this.#random.chance(0.2) ? this.#random.between(0, 5) : 0;
    const id = Math.ceil(part * Math.max(1, this.#knowledge.highest)) + beyond;
    const client = this.#client();
    const call = { path: `/pets/${Math.max(1, id)}` };
    const answer = await client.send(call);
    this.#knowledge.count("get");
    const span = { from: answer.from, to: answer.to, request: client.curl(call) };
    if (this.#knowledge.isPutOff(answer)) return;
    if (answer.status !== 404) expectStatus(answer, 200, span.request);
    const animal = answer.status === 200 ? animalOf(parseExact(answer.body)) : undefined;
    this.#knowledge.history.get(Math.max(1, id), animal, span);
  }

  /** Reads the whole list by following its links. */
  async #walk(): Promise<void> {
    const filter = this.#random.pick([undefined, ...STATUSES]);
    this.#knowledge.count("walk");
    let position: Position | undefined = await this.#page({ filter, after: 0 }, 100);
    while (position) position = await this.#page(position, 100, position.cursor);
  }

  /** Asks for a page; returns where the next page begins. */
  async #page(query: PageQuery, limit: number | undefined, cursor?: string): Promise<Position | undefined> {
    const { filter } = query;
    const parts = [
      limit === undefined ? "" : `limit=${limit}`,
      filter === undefined ? "" : `status=${filter}`,
      cursor === undefined ? "" : `cursor=${cursor}`,
    ].filter((part) => part !== "");
    const path = parts.length > 0 ? `/pets?${parts.join("&")}` : "/pets";
    const client = this.#client();
    const answer = await client.send({ path });
    this.#knowledge.count("list");
    return this.#learnPage(query, limit ?? 20, answer, path, client.curl({ path }));
  }

  #learnPage(
    { filter, after }: PageQuery,
    limit: number,
    answer: Answer,
    path: string,
    request: string,
  ): Position | undefined {
    if (this.#knowledge.isPutOff(answer)) return undefined;
    expectStatus(answer, 200, request);
    const { positions, pages, history } = this.#knowledge;
    const animals = animalsOf(answer.body);
    const cursor = nextQueryOf(answer.headers, "/v1/pets")?.get("cursor") ?? undefined;
    const more = cursor !== undefined;
    history.page({ filter, after }, limit, animals, more, { from: answer.from, to: answer.to, request });
    const ids = animals.map(({ id }) => Number(id));
    const statuses = animals.map(({ status }) => status);
    const etag = answer.headers.get("etag");
    assert(etag !== null, "an ETag", "none", request);
    const kept = { filter, after, path, etag, limit, ids, statuses, more };
    pages[this.#slot(pages.length)] = kept;
    this.#knowledge.latest = kept;
    if (cursor === undefined) return undefined;
    const position = { filter, after: ids.at(-1) ?? after, cursor };
    positions[this.#slot(positions.length)] = position;
    return position;
  }

  #slot(length: number): number {
    return length < SAVED_MAX ? length : this.#knowledge.history.reads % SAVED_MAX;
  }

  /** Sends a create and records its answer. */
  async #send(client: Client, call: Call, intent: Intent): Promise<void> {
    const answer = await client.send(call);
    if (this.#knowledge.isPutOff(answer)) return;
    this.#learnCreate(answer, intent, client.curl(call));
  }

  #learnCreate(answer: Answer, intent: Intent, request: string): void {
    expectStatus(answer, 201, request);
    const animal = animalOf(parseExact(answer.body));
    const location = answer.headers.get("location");
    assert(location === `/v1/pets/${animal.id}`, `Location: /v1/pets/${animal.id}`, `${location}`, request);
    this.#knowledge.history.acknowledge(intent, animal, answer.to);
    const { unordered } = this.#knowledge;
    const isNew = intent.to === answer.to;
    if (
      isNew &&
      unordered.length < UNORDERED_MAX &&
      (animal.status === "available" || animal.id % 20n === 0n)
    )
      unordered.push(Number(animal.id));
    this.#knowledge.highest = Math.max(this.#knowledge.highest, Number(animal.id));
  }

  /** Sends a create and gives up after a few milliseconds, mostly before the answer. */
  async #giveUp(call: Call, intent: Intent): Promise<void> {
    const patience = AbortSignal.timeout(this.#random.between(0, PATIENCE_MAX_MS));
    const client = this.#client();
    try {
      await this.#send(client, { ...call, signal: patience }, intent);
    } catch (error) {
      if (!(error instanceof NoAnswer) || !patience.aborted) throw error;
    }
  }

  #intend(content: Content, request: string, key?: string): Intent {
    const intent = this.#knowledge.history.intend(content, request);
    if (key !== undefined) this.#knowledge.retries.push({ key, intent });
    return intent;
  }

  #client(): Client {
    return this.#random.pick(this.#clients);
  }

  /** A random animal with a unique name and its body, or the error code if it is invalid. */
  #animal(name: string): { readonly content: Content | string; readonly body: string } {
    const content = { ...this.#content(), name: `${anyName(this.#random)}${name}` };
    const body = this.#write(content);
    return { content: judgeBody(Buffer.from(body)), body };
  }

  #validAnimal(name: string): { readonly content: Content; readonly body: string } {
    const { content, body } = this.#animal(name);
    if (typeof content !== "string") return { content, body };
    const plain = { ...this.#content(), name };
    return { content: plain, body: this.#write(plain) };
  }

  #content(): Omit<Content, "name"> {
    return { categoryId: int64(this.#random), status: this.#random.pick(STATUSES) };
  }

  #write({ name, categoryId, status }: Content): string {
    const members = [
      `"name":${writeString(name, this.#random)}`,
      `"categoryId":${writeInteger(categoryId, this.#random)}`,
    ];
    if (status !== "available" || this.#random.chance(0.5))
      members.push(`"status":${writeString(status, this.#random)}`);
    if (this.#random.chance(0.5)) members.reverse();
    return `{${members.join(", ")}}`;
  }
}

function createCall(body: string, key?: string): Call {
  return { path: "/pets", body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) };
}

function expectStatus(answer: Answer, status: number, request: string): void {
  assert(
    answer.status === status,
    `${status}`,
    `${answer.status}: ${answer.body.toString().slice(0, 300)}`,
    request,
  );
}
