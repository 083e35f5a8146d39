import type { Rule } from "./rule.ts";
import { FRESH_KEYS, KEYED_CREATES, SAME_KEY } from "./rules/creates.ts";
import { SUCCEEDS, SUCCEEDS_WITH_FAULTS } from "./rules/exit.ts";
import { KEY_IN_HEADER, NOTICES_DEPRECATION, USES_ETAG } from "./rules/headers.ts";
import { EXACT_INTEGERS } from "./rules/integers.ts";
import { FOLLOWS_LINKS, WHOLE_LISTS } from "./rules/lists.ts";
import { ACCEPTS_REFUSALS, HEEDS_RETRY_AFTER, SURVIVES_BREAKS, SURVIVES_OUTAGES } from "./rules/retries.ts";

/** What a client is judged by, in the order of a report. */
export const RULES: readonly Rule[] = [
  SUCCEEDS,
  SUCCEEDS_WITH_FAULTS,
  SURVIVES_BREAKS,
  SURVIVES_OUTAGES,
  HEEDS_RETRY_AFTER,
  ACCEPTS_REFUSALS,
  KEYED_CREATES,
  SAME_KEY,
  FRESH_KEYS,
  EXACT_INTEGERS,
  FOLLOWS_LINKS,
  WHOLE_LISTS,
  USES_ETAG,
  NOTICES_DEPRECATION,
  KEY_IN_HEADER,
];
