import { FLAGS } from "../cli/animal-flags.ts";
import { animals, parseCount } from "../cli/counts.ts";
import { type Options, StoreCommand } from "../cli/store-command.ts";
import { table } from "../cli/table.ts";
import { ANIMAL_MEMBERS, type Animal, type NewAnimal } from "../domain/animal.ts";
import {
  type AnimalChange,
  type Correction,
  type OrderInTheWay,
  OrdersInTheWay,
  UnknownAnimals,
} from "../domain/correction.ts";
import { isInt64, parsePositiveInt64 } from "../domain/int64.ts";
import { quote } from "../domain/quote.ts";
import { rfc3339 } from "../domain/time.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { operator } from "./animals/operator.ts";

/** `animal-store animals set ID…`: gives animals other members or takes some away, of all of them or of none. */
export async function setAnimals(ids: readonly string[], options: Options): Promise<void> {
  await correct(ids, await readChange(options), options);
}

/** `animal-store animals remove ID…`: removes animals, all of them or none. */
export async function removeAnimals(ids: readonly string[], options: Options): Promise<void> {
  await correct(ids, "remove", options);
}

/** `animal-store animals log [ID]`: who corrected which animals, and when. */
export async function showCorrections(id: string | undefined, options: Options): Promise<void> {
  const animalId = id === undefined ? undefined : readId(id);
  const last = parseCount(options.last as string, "--last");
  const command = new StoreCommand(options);
  using _ = new Interruption(`Nothing was changed in ${command.storeName}.`);
  await using store = await command.open("read");
  const corrections = await store.corrections.list({ animalId, last });
  const rows = corrections.map((correction) => [
    rfc3339(correction.at),
    correction.by,
    String(correction.before.id),
    describe(correction),
  ]);
  await command.output.answer(
    factsOf(corrections),
    table(["TIME", "OPERATOR", "ANIMAL", "CORRECTION"], rows),
  );
}

async function correct(
  texts: readonly string[],
  change: AnimalChange | "remove",
  options: Options,
): Promise<void> {
  const ids = [...new Set(texts.map(readId))].sort((one, other) => (one < other ? -1 : 1));
  const command = new StoreCommand(options);
  const { output, storeName } = command;
  using interruption = new Interruption(`Nothing was changed in ${storeName}.`);
  await using store = await command.open("change");
  interruption.outcome = `Either all of these animals in ${storeName} were corrected, or none.`;
  const source = { by: operator(), at: Date.now() };
  const corrections = await store.corrections.correct(ids, change, source).catch((error) => {
    if (error instanceof UnknownAnimals) throw noSuchAnimals(error.ids);
    if (error instanceof OrdersInTheWay) throw ordered(error.orders, change);
    throw error;
  });
  interruption.outcome = `The animals in ${storeName} were corrected.`;
  const lines = corrections.map((each) => `Animal ${each.before.id}: ${describe(each)}.`);
  const same = ids.length - corrections.length;
  const rest = same === 0 ? "" : ` ${animals(same)} had these values already.`;
  const done = change === "remove" ? "Removed" : "Changed";
  lines.push(`${done} ${animals(corrections.length)} in ${storeName}.${rest}`);
  await output.report(factsOf(corrections), lines.join("\n"));
}

/** Reads the flags by the rules for a new animal's members. */
async function readChange(options: Options): Promise<AnimalChange> {
  const given: Record<string, unknown> = {};
  const removed: Record<string, null> = {};
  for (const { member } of FLAGS) {
    const value = options[member];
    // What the flag that takes a member away sets it to.
    if (value === false) removed[member] = null;
    else if (value !== undefined)
      given[member] = ANIMAL_MEMBERS[member].type === "integer" ? int64Of(String(value)) : value;
  }
  if (Object.keys({ ...given, ...removed }).length === 0) {
    const names = FLAGS.map(({ name }) => name);
    const some = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names);
    throw new CommandFailure(`there is nothing to change; pass ${some}.`, 2);
  }
  const { animalChangeSchema } = await import("../domain/animal-schemas.ts");
  const checked = animalChangeSchema.safeParse(given);
  if (checked.success) return { ...checked.data, ...removed };
  const problems = checked.error.issues.map(({ path, message }) => {
    const flag = FLAGS.find(({ member }) => member === path[0]);
    const { name, removal } = flag as (typeof FLAGS)[number];
    const instead = removal && options[path[0] as string] === "" ? ` (${removal.name} takes it away)` : "";
    return `${name} ${message}${instead}`;
  });
  throw new CommandFailure(`${problems.join("; ")}.`, 2);
}

/** An int64 in plain decimal. Any other text is returned unchanged, and the schema refuses it. */
function int64Of(text: string): bigint | string {
  if (!/^-?[0-9]{1,19}$/.test(text)) return text;
  const value = BigInt(text);
  return isInt64(value) ? value : text;
}

function readId(text: string): bigint {
  const id = parsePositiveInt64(text);
  if (id !== undefined) return id;
  throw new CommandFailure(`${quote(text)} is not an animal's id; an id is a whole number of at least 1.`, 2);
}

function noSuchAnimals(ids: readonly bigint[]): CommandFailure {
  const [first, ...others] = ids;
  const named = others.length === 0 ? `id ${first}` : `ids ${ids.join(", ")}`;
  return new CommandFailure(`There is no animal with the ${named}. Nothing was changed.`);
}

function ordered(orders: readonly OrderInTheWay[], change: AnimalChange | "remove"): CommandFailure {
  const ofEach = Map.groupBy(orders, ({ petId }) => petId);
  const sentences = [...ofEach].map(([id, own]) => {
    const ids = new Intl.ListFormat("en-GB").format(own.map((order) => `${order.id}`));
    const named = `Animal ${id} has ${own.length === 1 ? "order" : "orders"} ${ids}`;
    if (change === "remove") return `${named}, so it cannot be removed.`;
    return own[0]?.status === "delivered"
      ? `${named}, which is delivered, so it stays sold.`
      : `${named}, which is ${own[0]?.status}, so it stays pending until the order is delivered or cancelled.`;
  });
  return new CommandFailure(`${sentences.join(" ")} Nothing was changed.`);
}

/** A correction in words: "status `available` → `sold`". */
function describe({ before, after }: Correction): string {
  const old = valuesOf(before);
  if (after === undefined) {
    const had = Object.entries(old).flatMap(([member, value]) => (value ? `${member} ${value}` : []));
    return `removed (${had.join(", ")})`;
  }
  return Object.entries(valuesOf(after))
    .flatMap(([member, value]) => {
      const was = old[member as keyof NewAnimal];
      return was === value ? [] : `${member} ${was ?? "none"} → ${value ?? "none"}`;
    })
    .join(", ");
}

/** The members that an animal has or may have, for people: free text in quotes. */
function valuesOf(animal: Animal): Record<keyof NewAnimal, string | undefined> {
  const texts = Object.entries(ANIMAL_MEMBERS).map(([member, { type, values }]) => {
    const value: bigint | string | undefined = animal[member as keyof NewAnimal];
    const isFree = type === "text" && !values && value !== undefined;
    return [member, isFree ? quote(`${value}`) : value?.toString()];
  });
  return Object.fromEntries(texts);
}

function factsOf(corrections: readonly Correction[]): unknown {
  return corrections.map(({ at, by, before, after = null }) => ({ at: rfc3339(at), by, before, after }));
}
