import { ANIMAL_MEMBERS, type NewAnimal } from "../domain/animal.ts";

/** The flag of `animals set` for each member of an animal: `--category-id <id>`, for example. */
interface Flag {
  readonly member: keyof NewAnimal;
  readonly name: string;
  readonly usage: string;
  readonly help: string;
  /** All values that it may have. */
  readonly values: readonly string[] | undefined;
  /** The flag that takes the member away, if an animal may lack it. */
  readonly removal: { readonly name: string; readonly help: string } | undefined;
}

export const FLAGS: readonly Flag[] = (Object.keys(ANIMAL_MEMBERS) as (keyof NewAnimal)[]).map((member) => {
  const words = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const name = `--${words}`;
  const { values, isOptional } = ANIMAL_MEMBERS[member];
  const noun = words.replace(/-id$/, "").replaceAll("-", " ");
  const help = `the new ${noun}${values ? `: ${values.join(", ")}` : ""}`;
  const removal = isOptional && { name: `--no-${words}`, help: `take the ${noun} away` };
  return { member, name, usage: `${name} <${words.split("-").at(-1)}>`, help, values, removal };
});
