/** A client of the collection, with the verdict that a person gave it. */
interface Judged {
  /** What `habits.mjs` does otherwise than a good client. */
  readonly habits: readonly string[];
  /** The rules that it breaks, as a person sees it. */
  readonly breaks: readonly string[];
  /** Of these, what the judge does not see: its known mistakes. */
  readonly missed?: readonly string[];
  /** Rules that the judge says it breaks, and a person does not. */
  readonly blamed?: readonly string[];
}

const good = (...habits: string[]): Judged => ({ habits, breaks: [] });
const bad = (habit: string | readonly string[], ...breaks: string[]): Judged => ({
  habits: [habit].flat(),
  breaks,
});

/** Forty clients: good ones, some of which do what looks careless, and bad ones. */
export const COLLECTION: readonly Judged[] = [
  good(),
  good("names its calls"),
  good("asks about weak tags"),
  good("reports the day"),
  good("fetches nothing by id"),
  good("creates no animal of Max's kind"),
  good("fetches order 999 in two tests"),
  good("fetches three times in parallel"),
  good("creates two equal animals"),
  good("creates two equal animals in parallel"),
  good("fixes the key of one test"),
  good("tests a cursor of its own"),
  good("tests a body without a name"),
  good("lists again in a test without a cache"),
  good("runs next to a runtime that warns"),
  good("has a test about deprecation"),
  good("tests an integer out of range"),
  good("asks for an unknown key's list"),
  good("fetches order 999 in two tests", "fetches three times in parallel", "names its calls"),
  good("runs next to a runtime that warns", "fetches nothing by id"),
  bad("repeats nothing", "succeeds-with-faults", "survives-breaks", "survives-outages"),
  bad("repeats after breaks only", "succeeds-with-faults", "survives-outages"),
  bad("repeats after outages only", "succeeds-with-faults", "survives-breaks"),
  bad("is impatient", "heeds-retry-after"),
  bad("repeats refusals", "accepts-refusals"),
  bad(["repeats refusals", "fetches order 999 in two tests"], "accepts-refusals"),
  bad("sends no keys", "keyed-creates"),
  bad("makes a key for each attempt", "same-key"),
  bad(["makes a key for each attempt", "creates two equal animals"], "same-key"),
  bad("has one key for all", "fresh-keys"),
  bad("rounds", "exact-integers"),
  bad("counts pages", "follows-links", "whole-lists"),
  bad("reads the first page only", "whole-lists"),
  bad("asks for no tag", "uses-etag"),
  bad("invents tags", "uses-etag"),
  bad("asks about a tag of another list", "uses-etag"),
  bad("asks about any tag", "uses-etag"),
  bad("reports nothing", "notices-deprecation"),
  bad(["reports nothing", "always says deprecated"], "notices-deprecation"),
  bad(["reports nothing", "runs next to a runtime that warns"], "notices-deprecation"),
  bad("has its key in the address", "key-in-header"),
  bad("ends with 1", "succeeds", "succeeds-with-faults"),
  bad(["repeats nothing", "swallows failures"], "survives-breaks", "survives-outages"),
  bad(
    [
      "has one key for all",
      "invents tags",
      "sends an int64 that it never read",
      "reports nothing",
      "always says deprecated",
    ],
    "fresh-keys",
    "uses-etag",
    "notices-deprecation",
  ),
];
