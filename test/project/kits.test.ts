import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  DeliveryOptions,
  SandboxClock,
  SandboxFaultOptions,
  SandboxKey,
  SandboxSpace,
} from "../../bin/sandbox.cjs";

// The helpers for pytest and Go, which people copy, have every member of the TypeScript kit. A member that this table lacks does
// not compile. The helpers' own tests, in suites/clients, use each.

const EXAMPLES = join(import.meta.dir, "../../examples");
const PYTHON = readFileSync(join(EXAMPLES, "pytest/conftest.py"), "utf8");
const GO = readFileSync(join(EXAMPLES, "go-test/sandbox_test.go"), "utf8");

type Names = readonly [python: string, go: string];

const SPACE: Record<Exclude<keyof SandboxSpace, "clock" | "remove" | symbol>, Names> = {
  name: ["name: str", "Name, BaseURL string"],
  baseUrl: ["base_url: str", "Name, BaseURL string"],
  apiKey: ["api_key: str", "APIKey string"],
  keys: ["keys: dict", "Keys map[string]Key"],
  faults: ["def faults(", ") Faults("],
  requests: ["def requests(", ") Requests("],
  expectRequests: ["def expect_requests(", ") ExpectRequests("],
  deliverTo: ["def deliver_to(", ") DeliverTo("],
  deliveries: ["def deliveries(", ") Deliveries("],
  reset: ["def reset(", ") Reset("],
};

const CLOCK: Record<keyof SandboxClock, Names> = {
  now: ["def now(", ") Now("],
  set: ["def set_clock(", ") SetClock("],
  advance: ["def advance_clock(", ") AdvanceClock("],
  freeze: ["def freeze_clock(", ") FreezeClock("],
  reset: ["def reset_clock(", ") ResetClock("],
};

test("the kits for pytest and Go have each member of a space and of its clock", () => {
  for (const [python, go] of [...Object.values(SPACE), ...Object.values(CLOCK)]) {
    expect(PYTHON).toContain(python);
    expect(GO).toContain(go);
  }
});

/** Python's take these as they are; in Go each is a field. */
const GO_FIELDS: Record<keyof SandboxFaultOptions | "fault" | "status" | keyof DeliveryOptions, true> = {
  fault: true,
  status: true,
  operation: true,
  key: true,
  path: true,
  event: true,
  body: true,
  after: true,
  count: true,
  probability: true,
  seed: true,
  delayMs: true,
  delayMaxMs: true,
  retryAfterSeconds: true,
  secret: true,
  formerSecret: true,
  types: true,
  timeoutMs: true,
};

const KEY: Record<keyof SandboxKey, true> = { name: true, key: true, scopes: true, state: true };

test("the kit for Go takes every option of a fault and of deliveries, and has every member of a key", () => {
  for (const name of Object.keys(GO_FIELDS)) expect(GO).toContain(`\`json:"${name},omitempty"\``);
  const [, key = ""] = /type Key struct \{([^}]*)\}/.exec(GO) ?? [];
  for (const name of Object.keys(KEY)) expect(key.toLowerCase()).toContain(name);
});
