/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * What a person has written of a number, as JSON. Digits are copied, since JavaScript's numbers would round them; what is no
 * number is sent as a text, and the service says what is wrong with it.
 */
export function numberOrText(written: string): string {
  return isJsonNumber(written) ? written : JSON.stringify(written);
}

export function isJsonNumber(written: string): boolean {
  return JSON_NUMBER.test(written);
}
