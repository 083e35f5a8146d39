import { expect, test } from "bun:test";
import fc from "fast-check";
import { startService } from "../support/service.ts";

// Through the service: how the runtime hands a header on is a part of what is promised.

const blank = fc.stringMatching(/^[ \t]{0,2}$/);
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
const name = token.filter((token) => token.toLowerCase() !== "charset");

/** A text in quotes, in which any character may be escaped (RFC 9110, section 5.6.4). */
function quoted(text: string) {
  return fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((escaped) =>
      [...text].map((c, at) => (escaped[at] || c === '"' || c === "\\" ? `\\${c}` : c)).join(""),
    )
    .map((inner) => `"${inner}"`);
}

const anyQuoted = fc
  .string({ unit: fc.constantFrom(...' !#;=,/"\\charset=utf-8latin1'.split("")), maxLength: 12 })
  .chain(quoted);
const meaningless = fc.tuple(name, fc.oneof(token, anyQuoted)).map(([name, value]) => `${name}=${value}`);

const charset = (value: fc.Arbitrary<string>) =>
  fc.tuple(fc.mixedCase(fc.constant("charset")), value).map(([name, value]) => `${name}=${value}`);
const utf8 = charset(
  fc.mixedCase(fc.constant("utf-8")).chain((value) => fc.oneof(fc.constant(value), quoted(value))),
);
const otherCharset = charset(
  fc
    .oneof(fc.constantFrom("utf8", "utf-16", "iso-8859-1", "us-ascii", "utf-8x"), token)
    .filter((value) => value.toLowerCase() !== "utf-8")
    .chain((value) => fc.oneof(fc.constant(value), quoted(value))),
);

/** A media type with parameters, white space where it may be. */
function withParameters(type: fc.Arbitrary<string>, parameters: fc.Arbitrary<readonly string[]>) {
  return fc
    .tuple(type, parameters, blank, blank)
    .map(([type, parameters, before, after]) =>
      [type, ...parameters.map((parameter) => `${before};${after}${parameter}`)].join(""),
    );
}

const json = fc.mixedCase(fc.constant("application/json"));
const someMeaningless = fc.array(meaningless, { maxLength: 2 });

async function expectStatus(types: fc.Arbitrary<string>, status: number, numRuns: number): Promise<void> {
  await using service = await startService();
  await fc.assert(
    fc.asyncProperty(types, async (type) => {
      const answer = await service.create('{"name":"Rex","categoryId":1}', { "content-type": type });
      expect(answer.status).toBe(status);
    }),
    { numRuns },
  );
}

test("application/json is accepted in any case, with charset=utf-8 and with meaningless parameters", async () => {
  const parameters = fc
    .tuple(someMeaningless, fc.array(utf8, { maxLength: 1 }), someMeaningless)
    .map((parts) => parts.flat());
  await expectStatus(withParameters(json, parameters), 201, 400);
});

test("another charset is refused, wherever the parameter is", async () => {
  const parameters = fc.tuple(someMeaningless, otherCharset, someMeaningless).map((parts) => parts.flat());
  await expectStatus(withParameters(json, parameters), 415, 400);
});

test("every other media type is refused", async () => {
  const others = fc
    .oneof(
      fc.constantFrom("text/json", "application/jsonx", "application/x-json", "application/problem+json"),
      fc.constantFrom(
        "application/*",
        "*/*",
        "application",
        "json",
        "application/json/x",
        "xapplication/json",
      ),
      fc.constantFrom(
        "application/json, text/plain",
        "application/json application/json",
        "application /json",
      ),
      fc.tuple(token, token).map(([type, subtype]) => `${type}/${subtype}`),
    )
    .filter((type) => type.toLowerCase() !== "application/json");
  await expectStatus(withParameters(others, fc.array(utf8, { maxLength: 1 })), 415, 300);
});
