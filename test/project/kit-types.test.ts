import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  DeliveryFilter,
  RequestFilter,
  SandboxAnyFault,
  SandboxDelivery,
  SandboxDeliveryFault,
  SandboxEventType,
  SandboxFault,
  SandboxFaultOptions,
  SandboxKeyName,
} from "../../bin/sandbox.cjs";
import { DELIVERY_FILTER_NAMES, type DeliveryEntry } from "../../sandbox/deliveries/delivery-entry.ts";
import type { DeliveryFault, FaultName, FaultRule } from "../../sandbox/faults.ts";
import { FILTER_NAMES } from "../../sandbox/journal-entry.ts";
import { KEY_NAMES } from "../../sandbox/keys.ts";
import { KIT_TYPES, kitTypes } from "../../scripts/kit-types.ts";
import type { EventType } from "../../src/domain/change-event.ts";

// The types of `animal-store/sandbox` are written by hand, since its users have no sources. They name what exists.

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

const faults: Same<SandboxAnyFault, FaultName> = true;
const deliveryFaults: Same<SandboxDeliveryFault, DeliveryFault> = true;
const eventTypes: Same<SandboxEventType, EventType> = true;
const deliveryMembers: Same<keyof SandboxDelivery, keyof ReturnType<DeliveryEntry["toJSON"]>> = true;
const members: Same<keyof SandboxFaultOptions, Exclude<keyof FaultRule, "fault">> = true;
const ways: Same<Exclude<keyof SandboxFault, keyof SandboxFaultOptions>, "fault" | "status"> = true;

const KEYS: Record<SandboxKeyName, true> = {
  "all scopes": true,
  "another client": true,
  "read only": true,
  "animals only": true,
  "no scopes": true,
  expired: true,
  revoked: true,
};

const FILTERS: Record<keyof RequestFilter, true> = {
  operation: true,
  method: true,
  path: true,
  key: true,
  idempotencyKey: true,
  fault: true,
  status: true,
};

const DELIVERY_FILTERS: Record<keyof DeliveryFilter, true> = {
  target: true,
  event: true,
  eventId: true,
  attempt: true,
  fault: true,
  status: true,
  outcome: true,
};

test("the types of the kit for tests name every fault, operation, key and filter of a sandbox", () => {
  const all = [faults, members, ways, deliveryFaults, eventTypes, deliveryMembers];
  expect(all).toEqual(all.map(() => true));
  expect(readFileSync(join(import.meta.dir, "../..", KIT_TYPES), "utf8")).toBe(kitTypes());
  expect(Object.keys(KEYS)).toEqual(KEY_NAMES);
  expect(Object.keys(FILTERS)).toEqual([...FILTER_NAMES]);
  expect(Object.keys(DELIVERY_FILTERS)).toEqual([...DELIVERY_FILTER_NAMES]);
});
