const LONG_DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** A day in words, for example "5 December 2030", of any text that `Date` reads. */
export function longDate(text: string): string {
  return LONG_DATE.format(new Date(text));
}
