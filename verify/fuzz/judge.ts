import { brotliDecompressSync } from "node:zlib";
import { ContractViolation } from "../../contract/contract-violation.ts";
import { checkResponse } from "../../contract/responses.ts";
import type { WireResponse } from "../wire/conversation.ts";
import type { Expectation } from "./expectation.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/**
 * Checks a response against the expectation, and what every response must have.
 *
 * @throws ContractViolation
 */
export function judge(request: FuzzRequest, expectation: Expectation, response: WireResponse): void {
  const { status, headers } = response;
  const { method } = request;
  if (status >= 500) throw new ContractViolation(`a ${status}`);
  const body = decoded(response, headerOf(request, "accept-encoding"));
  const requestId = headerOf(request, "x-request-id");
  const operation = expectation.deprecated ? "getPet" : undefined;
  const error = checkResponse({ method, requestId, operation }, response, body);
  if (headerOf(request, "origin") !== undefined && headers.get("access-control-allow-origin") !== "*")
    throw new ContractViolation("a page could not read this response");
  const outcome = error ? `${status} ${error.code}` : `${status}`;
  // The response to a HEAD has no code.
  const matches = expectation.outcomes.some((expected) =>
    method === "HEAD" ? expected.startsWith(outcome) : expected === outcome,
  );
  if (!matches)
    throw new ContractViolation(`expected ${expectation.outcomes.join(" or ")}, and ${outcome} came`);
  if (status < 400) expectation.check?.(body, response);
}

function decoded({ headers, bytes }: WireResponse, accepted: string | undefined): Buffer {
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
