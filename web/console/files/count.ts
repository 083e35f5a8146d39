const NUMBER = new Intl.NumberFormat("en-GB");

/** A number with its thousands separated. */
export function grouped(number: number): string {
  return NUMBER.format(number);
}

/** A number of animals in words: "1 animal", "3,000 animals". */
export function countOf(animals: number, noun = "animal"): string {
  return `${grouped(animals)} ${noun}${animals === 1 ? "" : "s"}`;
}
