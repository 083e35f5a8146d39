import { z } from "zod";
import { STATUSES } from "./animal.ts";
import { idMember, int64Member } from "./int64-schema.ts";
import { quote } from "./quote.ts";

const NAME_MAX = 255;

/**
 * The part of the rule that every regular expression dialect can check: no U+0000, and at least one character that is not
 * ASCII white space. PCRE and RE2 reject \uXXXX in a pattern, and some dialects lack Unicode properties.
 */
const NAME_PATTERN = "^[^\\x00]*[^\\x00\\x09-\\x0d\\x20][^\\x00]*$";
const NOT_WHITE_SPACE = /\P{White_Space}/u;

const NAME_RULE = `must be a string of 1 to ${NAME_MAX} characters that is not only white space`;

function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

const name = z
  .string({ error: NAME_RULE })
  .superRefine((text, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    // A code point takes at most two UTF-16 units, so only names of a doubtful length need counting.
    if (text.length > NAME_MAX && codePointLength(text) > NAME_MAX) refuse(NAME_RULE);
    else if (!text.isWellFormed()) refuse("must not contain an unpaired surrogate");
    else if (text.includes("\0")) refuse("must not contain the character U+0000");
    else if (!NOT_WHITE_SPACE.test(text)) refuse(NAME_RULE);
  })
  .meta({
    description:
      "The animal's name, stored and returned exactly as sent. Lengths count Unicode code points. The pattern states " +
      "only what every regular expression dialect can check. The full rule: a name has at least one character without " +
      "Unicode's White_Space property (U+0009 to U+000D, U+0020, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, " +
      "U+2029, U+202F, U+205F, U+3000), and neither U+0000 nor an unpaired surrogate.",
    minLength: 1,
    maxLength: NAME_MAX,
    pattern: NAME_PATTERN,
    examples: ["Rex"],
  });

const categoryId = int64Member("The identifier of the category that the animal belongs to.", 12);

const statusSchema = z
  .enum(STATUSES, { error: `must be one of ${STATUSES.map(quote).join(", ")}` })
  .meta({ id: "Status", description: "The animal's availability.", examples: ["available"] });

/** The body of a create. Other members are ignored. */
export const newAnimalSchema = z
  .object({ name, categoryId, status: statusSchema.default("available") })
  // Not "NewAnimal", which is the name of `Animal`'s constructor in openapi-generator's Go client.
  .meta({ id: "AnimalInput", description: "An animal to add. The service assigns its `id`." });

/** An animal in stock. */
export const animalSchema = z
  .object({
    id: idMember(
      "The animal's unique identifier. The service assigns it on creation, in ascending order.",
      1,
    ),
    name,
    categoryId,
    // The contract does not require it in a response, so the document does not either. The service always sends it.
    status: statusSchema.optional(),
  })
  .meta({ id: "Animal", description: "An animal in stock." });

/** The body of a correction, by the rules for a new animal. An absent member stays unchanged. */
export const animalChangeSchema = newAnimalSchema.extend({ status: statusSchema }).partial();
