import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Service } from "../../support/service.ts";
import type { Exercised } from "./exercised.ts";

/** A request and its expected answer, as data. The method is by default POST with a body, else GET. */
export interface Scenario {
  readonly method?: string;
  readonly path?: string;
  /** `authorization` has a valid key by default. */
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | ReadableStream;
  readonly status: number;
  /** The Error's code, and a part of its message. */
  readonly code?: string;
  readonly says?: string;
  /** The whole body, to the last digit. */
  readonly answer?: string;
}

/** The store before a scenario: the bodies of animals to create, or a function that fills it. */
export type Stock = readonly string[] | ((service: Service) => Promise<unknown>);

export async function fill(service: Service, stock: Stock): Promise<void> {
  if (typeof stock === "function") await stock(service);
  else for (const body of stock) expect((await service.create(body)).status).toBe(201);
}

/** Starts one service with `stock` for all tests of a block; each test finds the changes of earlier ones. */
export function serviceForAll(
  exercised: Exercised,
  stock: Stock = [],
  options: Parameters<Exercised["start"]>[0] = {},
): () => Service {
  let service: Service;
  beforeAll(async () => {
    service = await exercised.start(options);
    await fill(service, stock);
  });
  afterAll(() => service[Symbol.asyncDispose]());
  return () => service;
}

/** One test for each scenario, on a service of their own that holds `stock`. */
export function scenarios(
  exercised: Exercised,
  table: Readonly<Record<string, Scenario>>,
  stock: Stock = [],
): void {
  const service = serviceForAll(exercised, stock);
  for (const [name, scenario] of Object.entries(table)) {
    test(name, async () => expectAnswer(await send(service(), scenario), scenario));
  }
}

export function send(
  service: Service,
  { method, path = "/v1/pets", headers, body }: Scenario,
): Promise<Response> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return service.call(path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...type, ...headers },
    ...(body !== undefined && { body }),
  });
}

export async function expectAnswer(
  answer: Response,
  { status, code, says, answer: whole }: Pick<Scenario, "status" | "code" | "says" | "answer">,
): Promise<void> {
  const body = await answer.text();
  expect({ status: answer.status, body: whole ?? body }).toEqual({ status, body });
  if (code !== undefined) expect(JSON.parse(body).code).toBe(code);
  if (says !== undefined) expect(JSON.parse(body).message).toContain(says);
}
