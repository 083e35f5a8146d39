import { expect } from "bun:test";
import type { Service } from "../../support/service.ts";
import { REX } from "./every-operation.ts";

/** An order as a client reads it. */
export interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly placedAt: string;
  readonly updatedAt: string;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Asks for an order. */
export function place(
  service: Service,
  petId: number,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init = { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ petId }) };
  return service.call("/v1/orders", init);
}

/** Asks for another status of an order. */
export function change(
  service: Service,
  id: number,
  status: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init = { method: "PATCH", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ status }) };
  return service.call(`/v1/orders/${id}`, init);
}

/** Adds an animal and places an order for it, which goes on to these statuses. */
export async function order(service: Service, ...statuses: readonly string[]): Promise<OrderBody> {
  const created = await service.create(REX);
  expect(created.status).toBe(201);
  const { id: petId } = (await created.json()) as { id: number };
  let answer = await place(service, petId);
  expect(answer.status).toBe(201);
  let body = (await answer.json()) as OrderBody;
  for (const status of statuses) {
    answer = await change(service, body.id, status);
    expect(answer.status).toBe(200);
    body = (await answer.json()) as OrderBody;
  }
  return body;
}

export async function statusOfAnimal(service: Service, id: number): Promise<string> {
  return ((await (await service.call(`/v1/pets/${id}`)).json()) as { status: string }).status;
}

export async function ordersAt(service: Service, path: string): Promise<OrderBody[]> {
  const answer = await service.call(path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as OrderBody[];
}
