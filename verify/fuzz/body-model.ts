// Judges a body by the contract, by other means than src/ uses: JSON.parse for the grammar, then a walk
// over the tokens for everything that JSON.parse does not report.

import { type Content, OPTIONAL_TEXTS, STATUSES, type Status } from "../../contract/animal.ts";
import { isOptionalText, type OptionalTexts } from "../../contract/optional-text.ts";
import { type NewOrder, ORDER_STATUSES, ORDER_TEXTS, type OrderStatus } from "../../contract/order.ts";

type Refusal = "body_too_large" | "malformed_body" | "invalid_body";
type BodyVerdict = Content | Refusal;

/** An object of JSON: its members, and the source text of each that is neither object nor array. */
interface Members {
  readonly values: Readonly<Record<string, unknown>>;
  readonly sources: ReadonlyMap<string, string>;
}

const BODY_MAX_BYTES = 65_536;
const DEPTH_MAX = 64;
const NAME_MAX = 255;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The body of a create. */
export function judgeBody(body: Uint8Array): BodyVerdict {
  const members = membersOf(body);
  if (typeof members === "string") return members;
  const { name, status = "available" } = members.values;
  const categoryId = integer(members.sources.get("categoryId") ?? "");
  if (!isName(name) || categoryId === undefined || !isStatus(status)) return "invalid_body";
  const later = textsIn(members, OPTIONAL_TEXTS);
  return later === undefined ? "invalid_body" : { name, categoryId, status, ...later };
}

/** The body of a new order. */
export function judgePlacing(body: Uint8Array): NewOrder | Refusal {
  const members = membersOf(body);
  if (typeof members === "string") return members;
  const petId = integer(members.sources.get("petId") ?? "");
  const later = textsIn(members, ORDER_TEXTS);
  return petId === undefined || later === undefined ? "invalid_body" : { petId, ...later };
}

/** The texts that a body has of those that it may lack; `undefined` if one of them is invalid. */
function textsIn({ values }: Members, texts: OptionalTexts): object | undefined {
  const given = texts.filter(([member]) => Object.hasOwn(values, member));
  if (!given.every(([member]) => isOptionalText(texts, member, values[member]))) return undefined;
  return Object.fromEntries(given.map(([member]) => [member, values[member]]));
}

/** The body of a change of an order. */
export function judgeUpdate(body: Uint8Array): { readonly status: OrderStatus } | Refusal {
  const members = membersOf(body);
  if (typeof members === "string") return members;
  const status = members.values.status as OrderStatus;
  return ORDER_STATUSES.includes(status) ? { status } : "invalid_body";
}

function membersOf(body: Uint8Array): Members | Refusal {
  if (body.length > BODY_MAX_BYTES) return "body_too_large";
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch {
    return "malformed_body";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "malformed_body";
  const sources = walk(text);
  if (sources === "malformed") return "malformed_body";
  return { values: value as Record<string, unknown>, sources };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The source text of each plain member of the outer object; "malformed" if it is too deep or repeats a member. */
function walk(text: string): Map<string, string> | "malformed" {
  const members = new Map<string, string>();
  /** The names of each object that is open; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = [];
  let name = "";
  let isNameNext = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : undefined);
      if (open.length > DEPTH_MAX) return "malformed";
      isNameNext = token === "{";
    } else if (token === "}" || token === "]") {
      open.pop();
      isNameNext = false;
    } else if (token === ",") {
      isNameNext = open.at(-1) !== undefined;
    } else if (token === ":") {
      isNameNext = false;
    } else if (isNameNext) {
      name = JSON.parse(token) as string;
      const names = open.at(-1);
      if (names?.has(name)) return "malformed";
      names?.add(name);
    } else if (open.length === 1) {
      members.set(name, token);
    }
  }
  return members;
}

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The exact int64 value of a JSON number, if it has one. */
function integer(source: string): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (whole === "") return undefined;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  const power = Number(exponent) - fraction.length;
  // No body is long enough for a larger exponent to cancel out.
  if (Math.abs(power) > 70_000) return undefined;
  const scale = 10n ** BigInt(Math.abs(power));
  if (power < 0 && digits % scale !== 0n) return undefined;
  const size = power < 0 ? digits / scale : digits * scale;
  const value = sign ? -size : size;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function isName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.isWellFormed() &&
    !name.includes("\0") &&
    [...name].length <= NAME_MAX &&
    /\P{White_Space}/u.test(name)
  );
}

function isStatus(status: unknown): status is Status {
  return STATUSES.includes(status as Status);
}
