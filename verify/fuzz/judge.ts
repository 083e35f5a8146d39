import { brotliDecompressSync } from "node:zlib";
import { errorOf } from "../contract/answers.ts";
import { ContractViolation } from "../contract-violation.ts";
import type { FuzzAnswer } from "./connection.ts";
import type { Expectation } from "./expectation.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/**
 * Checks an answer against the expectation, and what every answer must have.
 *
 * @throws ContractViolation
 */
export function judge(request: FuzzRequest, expectation: Expectation, answer: FuzzAnswer): void {
  const { status, headers } = answer;
  const body = decoded(answer, headerOf(request, "accept-encoding"));
  checkEvery(request, answer, expectation.deprecated ?? false);
  const code = status < 400 || request.method === "HEAD" ? undefined : errorOf(status, headers, body).code;
  const outcome = code === undefined ? `${status}` : `${status} ${code}`;
  const matches = expectation.outcomes.some((expected) =>
    // The answer to a HEAD has no code.
    request.method === "HEAD" ? expected.startsWith(outcome) : expected === outcome,
  );
  if (!matches)
    throw new ContractViolation(`expected ${expectation.outcomes.join(" or ")}, and ${outcome} came`);
  if (status === 405 && !headers.has("allow")) throw new ContractViolation("a 405 has no Allow");
  if (status === 401 && headers.get("www-authenticate") !== "Bearer")
    throw new ContractViolation("a 401 has no challenge");
  if (status < 400) expectation.check?.(body, answer);
}

function checkEvery(request: FuzzRequest, { status, headers, body }: FuzzAnswer, deprecated: boolean): void {
  if (status >= 500) throw new ContractViolation(`a ${status}`);
  const given = headerOf(request, "x-request-id");
  const id = headers.get("x-request-id");
  if (given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? id !== given : !id || id === given) {
    throw new ContractViolation(`the X-Request-Id is ${JSON.stringify(id)}`);
  }
  if (headers.get("x-content-type-options") !== "nosniff") throw new ContractViolation("nosniff is missing");
  if (!headers.has("date")) throw new ContractViolation("Date is missing");
  if (headerOf(request, "origin") !== undefined && headers.get("access-control-allow-origin") !== "*") {
    throw new ContractViolation("a page could not read this answer");
  }
  if (deprecated && headers.get("deprecation") !== "@1764892800")
    throw new ContractViolation("Deprecation is missing");
  if (request.method === "HEAD" && body.length > 0) throw new ContractViolation("a HEAD has a body");
}

function decoded({ headers, body }: FuzzAnswer, accepted: string | undefined): Buffer {
  const coding = headers.get("content-encoding");
  if (coding === undefined || body.length === 0) return body;
  if (!accepted?.includes(coding) && !accepted?.includes("*"))
    throw new ContractViolation(`${coding} was not asked for`);
  try {
    if (coding === "gzip") return Buffer.from(Bun.gunzipSync(body as Buffer<ArrayBuffer>));
    if (coding === "br") return brotliDecompressSync(body);
    if (coding === "zstd") return Bun.zstdDecompressSync(body);
  } catch (error) {
    throw new ContractViolation(`it does not decompress: ${error}`);
  }
  throw new ContractViolation(`${coding} is no coding`);
}
