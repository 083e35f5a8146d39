import { brotliDecompressSync } from "node:zlib";
import { checkAnswer } from "../../contract/answers.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import type { WireAnswer } from "../wire/conversation.ts";
import type { Expectation } from "./expectation.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/**
 * Checks an answer against the expectation, and what every answer must have.
 *
 * @throws ContractViolation
 */
export function judge(request: FuzzRequest, expectation: Expectation, answer: WireAnswer): void {
  const { status, headers } = answer;
  const { method } = request;
  if (status >= 500) throw new ContractViolation(`a ${status}`);
  const body = decoded(answer, headerOf(request, "accept-encoding"));
  const requestId = headerOf(request, "x-request-id");
  const operation = expectation.deprecated ? "getPet" : undefined;
  const error = checkAnswer({ method, requestId, operation }, answer, body);
  if (headerOf(request, "origin") !== undefined && headers.get("access-control-allow-origin") !== "*")
    throw new ContractViolation("a page could not read this answer");
  const outcome = error ? `${status} ${error.code}` : `${status}`;
  // The answer to a HEAD has no code.
  const matches = expectation.outcomes.some((expected) =>
    method === "HEAD" ? expected.startsWith(outcome) : expected === outcome,
  );
  if (!matches)
    throw new ContractViolation(`expected ${expectation.outcomes.join(" or ")}, and ${outcome} came`);
  if (status < 400) expectation.check?.(body, answer);
}

function decoded({ headers, bytes }: WireAnswer, accepted: string | undefined): Buffer {
  const coding = headers.get("content-encoding");
  if (coding === null || bytes.length === 0) return bytes;
  if (!accepted?.includes(coding) && !accepted?.includes("*"))
    throw new ContractViolation(`${coding} was not asked for`);
  try {
    if (coding === "gzip") return Buffer.from(Bun.gunzipSync(bytes as Buffer<ArrayBuffer>));
    if (coding === "br") return brotliDecompressSync(bytes);
    if (coding === "zstd") return Bun.zstdDecompressSync(bytes);
  } catch (error) {
    throw new ContractViolation(`it does not decompress: ${error}`);
  }
  throw new ContractViolation(`${coding} is not a content coding`);
}
