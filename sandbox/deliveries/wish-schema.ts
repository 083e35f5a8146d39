import { randomBytes } from "node:crypto";
import { z } from "zod";
import { isAmong, readSecrets, type Secret } from "../../relay/secrets.ts";
import { TIMEOUT_MS } from "../../relay/target.ts";
import { EVENT_TYPES, type EventType } from "../../src/domain/change-event.ts";
import { noneOf } from "../none-of.ts";
import type { Wish } from "./delivering.ts";
import { ruleAgainst } from "./reach.ts";

/** The longest that it may wait for a response, in milliseconds. */
export const TIMEOUT_MAX_MS = 60_000;

const SECRET_BYTES = 32;
const URL_RULE = "must be a URL with http or https, for example http://127.0.0.1:9000/hooks";
const TYPES_RULE = "must be an array of types of events, with one at least";
const TIMEOUT_RULE = `must be a whole number of milliseconds from 1 to ${TIMEOUT_MAX_MS}`;
const SECRET_RULE = "must be a text: whsec_ and base64";

/**
 * The body of a request for deliveries: what it leaves out is made, or the usual.
 *
 * @param listensOn the host on which the sandbox listens
 */
export function wishSchema(listensOn: string) {
  const members = {
    url: z.string({ error: URL_RULE }),
    secret: z.string({ error: SECRET_RULE }).optional(),
    formerSecret: z.string({ error: SECRET_RULE }).optional(),
    types: z
      .array(z.string({ error: TYPES_RULE }), { error: TYPES_RULE })
      .min(1, { error: TYPES_RULE })
      .optional(),
    timeoutMs: z
      .bigint({ error: TIMEOUT_RULE })
      .min(1n, { error: TIMEOUT_RULE })
      .max(BigInt(TIMEOUT_MAX_MS), { error: TIMEOUT_RULE })
      .optional(),
  };
  const names = Object.keys(members);
  const known = z.looseObject({}).superRefine((given, context) => {
    for (const name of Object.keys(given))
      if (!names.includes(name))
        context.addIssue({ code: "custom", path: [name], message: noneOf(names, name) });
  });
  const declared = z.object(members).transform((given, context): Wish => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message });
      return z.NEVER;
    };
    const url = readUrl(given.url, listensOn);
    if (typeof url === "string") return refuse("url", url);
    const secret = given.secret ?? newSecret();
    const secrets = readSecrets(secret);
    if (typeof secrets === "string") return refuse("secret", secrets);
    const formerText = given.formerSecret ?? newSecret();
    const former = readFormer(formerText);
    if (typeof former === "string") return refuse("formerSecret", former);
    if (isAmong(secrets, former))
      return refuse("formerSecret", "must be none of the present secrets: a signature by it would be right");
    const types = given.types ?? EVENT_TYPES;
    const unknown = types.find((type) => !isEventType(type));
    if (unknown !== undefined) return refuse("types", `has a type that ${noneOf(EVENT_TYPES, unknown)}`);
    return {
      url,
      types: EVENT_TYPES.filter((type) => types.includes(type)),
      secret,
      secrets,
      former: { text: formerText, secret: former },
      timeoutMs: Number(given.timeoutMs ?? TIMEOUT_MS),
    };
  });
  return known.pipe(declared);
}

/** A URL to deliver to, or what is wrong with it. */
function readUrl(text: string, listensOn: string): URL | string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return URL_RULE;
  if (url.username !== "" || url.password !== "")
    return "must have no user name and no password: the signature shows who has sent a delivery";
  return ruleAgainst(listensOn, url) ?? url;
}

/** The secret before the present one, or what is wrong with it. */
function readFormer(text: string): Secret | string {
  const secrets = readSecrets(text);
  if (typeof secrets === "string") return secrets;
  const [secret, ...others] = secrets;
  return secret && others.length === 0 ? secret : "must be one secret";
}

function isEventType(type: string): type is EventType {
  return EVENT_TYPES.some((each) => each === type);
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}
