import { expect } from "bun:test";
import { CATALOGUE } from "../../../src/operations/catalogue.ts";
import type { Operation } from "../../../src/operations/operation.ts";
import type { Engine } from "../../support/engines.ts";
import type { Service } from "../../support/service.ts";

/** Headers of HTTP itself, which the document need not declare. */
const UNDECLARED = /^(content-(type|length|encoding)|date|connection)$/;

/** Remembers which statuses and codes of which operations were seen, and the statuses' headers. */
export class Exercised {
  readonly #engine: Engine;
  readonly #headers = new Map<string, Set<string>>();
  /** Each operation and code of an Error that was seen, such as `getPet animal_not_found`. */
  readonly codes = new Set<string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts a service whose answers are recorded, and checked for what holds of every answer. */
  async start(options: Parameters<Engine["startService"]>[0] = {}): Promise<Service> {
    const service = await this.#engine.startService(options);
    const call: Service["call"] = async (path, init = {}) => {
      const answer = await service.call(path, init);
      const method = init.method ?? "GET";
      this.remember(method, path, answer, await expectWellFormed(method, answer.clone() as Response));
      return answer;
    };
    const create: Service["create"] = (body, headers = {}) =>
      call("/v1/pets", {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      });
    return { ...service, call, create };
  }

  /** Each operation and status that was seen, such as `listPets 200`. */
  get pairs(): string[] {
    return [...this.#headers.keys()].sort();
  }

  /** The headers that were seen with such a pair and that the document must declare, in lower case. */
  headersOf(pair: string): string[] {
    return [...(this.#headers.get(pair) ?? [])].filter((name) => !UNDECLARED.test(name)).sort();
  }

  /** @param body the text of the answer */
  remember(
    method: string,
    path: string,
    { status, headers }: Pick<Response, "status" | "headers">,
    body: string,
  ): void {
    const operation = operationOf(method, path);
    if (!operation) return;
    const pair = `${operation.id} ${status}`;
    if (status >= 400 && body !== "") this.codes.add(`${operation.id} ${JSON.parse(body).code}`);
    this.#headers.set(pair, new Set([...(this.#headers.get(pair) ?? []), ...headers.keys()]));
  }
}

/** The operation that a request is for, read from the catalogue without the router. */
function operationOf(method: string, path: string): Operation | undefined {
  const [target] = path.split("?");
  return CATALOGUE.find((operation) => {
    const pattern = `^/v1${operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`;
    return (
      operation.method === (method === "HEAD" ? "GET" : method) && new RegExp(pattern).test(target ?? "")
    );
  });
}

/** What holds for every answer: its headers, and the shape of an Error. Returns its body. */
async function expectWellFormed(method: string, answer: Response): Promise<string> {
  expect(answer.headers.get("x-request-id")).toMatch(/^[!-~]{1,128}$/);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  const body = await answer.text();
  if (method === "HEAD" || answer.status === 304) expect(body).toBe("");
  else if (answer.status >= 400) {
    expect(answer.headers.get("content-type")).toBe("application/json");
    const error = JSON.parse(body) as Record<string, unknown>;
    expect(Object.keys(error)).toEqual(["code", "message", "status"]);
    expect(error.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(error.message).toBeString();
    expect(error.status).toBe(answer.status);
  }
  return body;
}
