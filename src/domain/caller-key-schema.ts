import { z } from "zod";
import { SCOPES } from "./api-key.ts";
import { ENVIRONMENTS } from "./environment.ts";

/** Longer than any list of scopes, so that a client generated from the document accepts those of later versions too. */
const SCOPES_MAX = 100;

const scope = z.string().meta({
  pattern: "^[a-z]+:[a-z]+$",
  // Not `enum`: a client generated from the document must accept scopes that are newer than itself.
  "x-extensible-enum": SCOPES,
});

/** What callers are told of their key. */
export const callerKeySchema = z
  .object({
    name: z.string().meta({ description: "The name that the operator gave the key.", examples: ["website"] }),
    environment: z
      .enum(ENVIRONMENTS)
      .meta({ description: "The only environment in which the key works.", examples: ["production"] }),
    scopes: z
      .array(scope)
      .max(SCOPES_MAX)
      .meta({
        description: "What the key may do. A later version may have more scopes.",
        examples: [["pets:read", "orders:read"]],
      }),
    // As one type: generators do not read the two alternatives that zod would write.
    expiresAt: z.unknown().meta({
      type: ["string", "null"],
      format: "date-time",
      description: "When the key ends (RFC 3339, UTC, milliseconds); `null` if it does not end by itself.",
      examples: ["2027-11-22T09:30:00.000Z"],
    }),
  })
  // Not "ApiKey", which generated clients have already, for authentication.
  .meta({ id: "CallerKey", description: "The API key of the request, without its secret." });
