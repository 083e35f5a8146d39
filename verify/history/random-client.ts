import { animalOf, type Content, OPTIONAL_TEXTS, parseExact, STATUSES } from "../../contract/animal.ts";
import type { Call } from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import { nextQueryOf } from "../../contract/headers.ts";
import { itemsOf, PETS } from "../../contract/lists.ts";
import { judgeBody } from "../fuzz/body-model.ts";
import { name as anyName, int64, someTexts, writeAnimal } from "../fuzz/values.ts";
import type { Random } from "../random.ts";
import type { Intent, PageQuery } from "./history.ts";
import { type Position, remember } from "./knowledge.ts";
import {
  expectLocation,
  expectStatus,
  type Manner,
  post,
  RandomActor,
  type TimedResponse,
  withQuery,
} from "./random-actor.ts";

const SAVED_MAX = 500;
/** As many as buyers may want next: they order animals that were added early, which the first pages show. */
const UNORDERED_MAX = 20;

/** One client of several, which creates and reads animals. */
export class RandomClient extends RandomActor {
  /** Takes one random step. @throws BrokenPromise */
  async step(random: Random, turn: number): Promise<void> {
    this.random = random;
    const name = `${this.name}.${turn}`;
    await random.weighted<() => Promise<void>>([
      [30, () => this.#create(name)],
      [6, () => this.#createIn("atOnce", "retry at once", name, name)],
      [5, () => this.#createIn("untilAnswered", "retry of a lost response", name, name)],
      [3, () => this.#createIn("andForget", "lost response", name)],
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
    const key = this.random.chance(this.keyed) ? name : undefined;
    const call = post("/pets", body, key);
    if (typeof content === "string") {
      const response = await this.send(call);
      this.knowledge.count("refused");
      if (response) expectStatus(response, 400);
      return;
    }
    this.knowledge.count("create");
    await this.#send(call, this.#intend(content, call, key));
  }

  /** Sends one create in a manner that leaves its outcome open for a while. */
  async #createIn(manner: Manner, kind: string, name: string, key?: string): Promise<void> {
    const { content, body } = this.#validAnimal(name);
    const call = post("/pets", body, key);
    const intent = this.#intend(content, call, key);
    this.knowledge.count(kind);
    await this[manner]((signal) => this.#send({ ...call, ...(signal && { signal }) }, intent));
  }

  /** Repeats an earlier create, with its content written differently. */
  async #repeat(): Promise<void> {
    const earlier = this.any(this.knowledge.keyed);
    if (!earlier) return;
    const { key, intent } = earlier;
    this.knowledge.count("retry");
    await this.#send(post("/pets", writeAnimal(intent.content, this.random), key), intent);
  }

  /** Repeats each create with a key that got no response. */
  async retryUnanswered(random: Random): Promise<void> {
    this.random = random;
    for (const { key, intent } of this.knowledge.keyed) {
      if (intent.id !== undefined) continue;
      this.knowledge.count("retried after a kill");
      await this.#send(post("/pets", writeAnimal(intent.content, this.random), key), intent);
    }
  }

  /** Reuses an earlier key for other content. */
  async #reuse(name: string): Promise<void> {
    const { body } = this.#validAnimal(name);
    const earlier = this.any(this.knowledge.keyed);
    // Until the earlier create is answered, either of the two may be the first.
    if (earlier?.intent.id === undefined) return;
    const response = await this.send(post("/pets", body, earlier.key));
    this.knowledge.count("key for other content");
    if (response) expectStatus(response, 422);
  }

  async #list(): Promise<void> {
    const status = this.random.pick([undefined, undefined, ...STATUSES]);
    const limit = this.random.chance(0.2) ? undefined : this.random.between(1, 100);
    await this.#page({ status, after: 0 }, limit);
  }

  /** Asks for the page that changes with every create, by the same URL as all other clients. */
  async #lookAtTheEnd(): Promise<void> {
    const { frontier } = this.knowledge;
    const page = frontier ?? { status: undefined, after: 0 };
    const next = await this.#page(page, 100, frontier?.cursor);
    if (next && next.after > (this.knowledge.frontier?.after ?? 0)) this.knowledge.frontier = next;
  }

  async #goOn(): Promise<void> {
    const limit = this.random.between(1, 100);
    const position = this.any(this.knowledge.positions);
    if (position) await this.#page(position, limit, position.cursor);
  }

  /** Asks whether a page that was seen before has changed. */
  async #askAgain(): Promise<void> {
    const { pages, history, latest } = this.knowledge;
    // Mostly the page that was seen last.
    const saved = this.random.chance(0.7) ? latest : this.any(pages);
    if (!saved) return;
    const { path, etag, more, limit } = saved;
    const response = await this.send({ path, headers: { "If-None-Match": etag } });
    this.knowledge.count("list, if changed");
    if (response?.status !== 304) {
      if (response) this.#learnPage(saved, limit, response, path);
      return;
    }
    const given = response.headers.get("etag");
    assert(given === etag, `the ETag ${etag}`, `${given}`, response.span.request);
    history.reads.again(saved, saved, more, response.span);
  }

  async #get(): Promise<void> {
    // Mostly an existing animal; sometimes an animal that may be created right now.
    const part = this.random.below(1_000_000) / 1_000_000;
    const beyond = this.random.chance(0.2) ? this.random.between(0, 5) : 0;
    const id = Math.max(1, Math.ceil(part * Math.max(1, this.knowledge.highest)) + beyond);
    const response = await this.send({ path: `/pets/${id}` });
    this.knowledge.count("get");
    if (!response) return;
    if (response.status !== 404) expectStatus(response, 200);
    const animal = response.status === 200 ? animalOf(parseExact(response.body)) : undefined;
    this.knowledge.history.reads.get(id, animal, response.span);
  }

  /** Reads the whole list by following its links. */
  async #walk(): Promise<void> {
    const status = this.random.pick([undefined, ...STATUSES]);
    this.knowledge.count("walk");
    let position: Position | undefined = await this.#page({ status, after: 0 }, 100);
    while (position) position = await this.#page(position, 100, position.cursor);
  }

  /** Asks for a page; returns where the next page begins. */
  async #page(query: PageQuery, limit: number | undefined, cursor?: string): Promise<Position | undefined> {
    const path = withQuery("/pets", { limit, status: query.status, cursor });
    const response = await this.send({ path });
    this.knowledge.count("list");
    return response && this.#learnPage(query, limit ?? 20, response, path);
  }

  #learnPage(
    { status, after }: PageQuery,
    limit: number,
    response: TimedResponse,
    path: string,
  ): Position | undefined {
    expectStatus(response, 200);
    const { positions, pages, history } = this.knowledge;
    const { body, headers, span } = response;
    const cursor = nextQueryOf(headers, "/v1/pets")?.get("cursor") ?? undefined;
    const more = cursor !== undefined;
    const shown = history.reads.page({ status, after }, limit, itemsOf(PETS, body), more, span);
    const etag = headers.get("etag");
    assert(etag !== null, "an ETag", "none", span.request);
    const saved = { status, after, path, etag, limit, more, ...shown };
    remember(pages, saved, SAVED_MAX, this.random);
    this.knowledge.latest = saved;
    if (cursor === undefined) return undefined;
    const position = { status, after: shown.ids.at(-1) ?? after, cursor };
    remember(positions, position, SAVED_MAX, this.random);
    return position;
  }

  /** Sends a create and records its response. */
  async #send(call: Call, intent: Intent): Promise<void> {
    const response = await this.send(call);
    if (!response) return;
    expectStatus(response, 201);
    const animal = animalOf(parseExact(response.body));
    const id = Number(animal.id);
    expectLocation(response, `/v1/pets/${id}`);
    this.knowledge.history.acknowledge(intent, animal, response.to);
    const { unordered } = this.knowledge;
    const isNew = intent.to === response.to;
    const isWanted = animal.status === "available" || id % 20 === 0;
    if (isNew && isWanted && unordered.length < UNORDERED_MAX) unordered.push(id);
    this.knowledge.highest = Math.max(this.knowledge.highest, id);
  }

  #intend(content: Content, call: Call, key?: string): Intent {
    const intent = this.knowledge.history.intend(content, this.curl(call));
    if (key !== undefined) this.knowledge.keyed.push({ key, intent });
    return intent;
  }

  /** A random animal with a unique name and its body, or the error code if it is invalid. */
  #animal(name: string): { readonly content: Content | string; readonly body: string } {
    const body = writeAnimal({ ...this.#content(), name: `${anyName(this.random)}${name}` }, this.random);
    return { content: judgeBody(Buffer.from(body)), body };
  }

  #validAnimal(name: string): { readonly content: Content; readonly body: string } {
    const { content, body } = this.#animal(name);
    if (typeof content !== "string") return { content, body };
    const plain = { ...this.#content(), name };
    return { content: plain, body: writeAnimal(plain, this.random) };
  }

  #content(): Omit<Content, "name"> {
    return {
      categoryId: int64(this.random),
      status: this.random.pick(STATUSES),
      ...someTexts(OPTIONAL_TEXTS, this.random),
    };
  }
}
