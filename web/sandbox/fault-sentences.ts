import type { PlannedFault } from "./control.ts";
import { FAULT_WORDS } from "./fault-words.ts";

/** What a fault is called, with its name in the plan. */
export function titleOf(fault: string): string {
  const title = FAULT_WORDS[fault]?.title;
  return title ? `${title} (${fault})` : fault;
}

/** Which requests or deliveries get a planned fault, in words. */
export function requestsOf(rule: PlannedFault): string {
  const { operation, key, path, event, body, count, after, probability } = rule;
  const [one, many] = wordsOf(rule);
  const which = count === undefined ? `each ${one}` : count === 1 ? `the next ${one}` : `the next ${count}`;
  const words = count === 0 ? [`no more ${many}`] : [which];
  if (operation) words.push(`of ${operation}`);
  if (key) words.push(`with the key “${key}”`);
  if (path) words.push(`for ${path}`);
  if (event) words.push(`of ${event}`);
  if (body) words.push(`with ${JSON.stringify(body)} in the body`);
  if (after) words.push(`after ${after} others`);
  if (probability) words.push(`with a probability of ${probability}`);
  return words.join(" ");
}

/** What has met a planned fault; empty if nothing has. */
export function hitsOf(rule: PlannedFault): string {
  const ids = rule.hit as readonly number[];
  const [one, many] = wordsOf(rule);
  return ids.length > 0 ? `met ${ids.length === 1 ? one : many} ${ids.join(", ")}` : "";
}

/** What a fault happens to: one of it, and several. */
function wordsOf({ fault }: PlannedFault): readonly [one: string, many: string] {
  return `${fault}`.startsWith("delivery_") ? ["delivery", "deliveries"] : ["request", "requests"];
}

/** How a planned fault differs from the usual one. */
export function optionsOf({ delayMs, delayMaxMs, retryAfterSeconds, seed }: PlannedFault): string {
  const words: string[] = [];
  if (delayMs || delayMaxMs) words.push(`${[delayMs, delayMaxMs].filter(Boolean).join(" to ")} ms`);
  if (retryAfterSeconds !== undefined) words.push(`Retry-After ${retryAfterSeconds} s`);
  if (seed !== undefined) words.push(`seed ${seed}`);
  return words.join(", ");
}
