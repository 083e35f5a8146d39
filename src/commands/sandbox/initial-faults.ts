import { DELAY_MAX_MS, FAULT_NAMES, type FaultName, type FaultRule } from "../../../sandbox/faults.ts";
import { noneOf } from "../../../sandbox/none-of.ts";
import { parseSeed } from "../../cli/counts.ts";
import { CommandFailure, wrongValue } from "../../process/errors.ts";

/**
 * The faults that the flags of a sandbox ask for, with which each space begins: `--delay 200-800 --fault 503:0.1 --seed 7`.
 *
 * @throws CommandFailure if a flag makes no sense
 */
export function initialFaultsOf(flags: Readonly<Record<string, unknown>>): FaultRule[] {
  const { delay, fault = [], seed = "1" } = flags as { delay?: string; fault?: string[]; seed?: string };
  const rules = [...(delay === undefined ? [] : [delayed(delay)]), ...fault.map(faultOf)];
  // Each has chances of its own: with one seed for all, rare faults would only ever meet requests that others have met.
  return rules.map((rule, at) => ({ ...rule, seed: parseSeed(seed) + at }));
}

/** `500`, or a range such as `200-800`, in milliseconds. */
function delayed(text: string): FaultRule {
  const [, least = "", most = least] = /^([0-9]{1,6})(?:-([0-9]{1,6}))?$/.exec(text) ?? [];
  const [delayMs, delayMaxMs] = [Number(least), Number(most)];
  if (delayMs >= 1 && delayMaxMs >= delayMs && delayMaxMs <= DELAY_MAX_MS)
    return { fault: "delay", delayMs, delayMaxMs };
  throw wrongValue("--delay", text, `be milliseconds from 1 to ${DELAY_MAX_MS}, for example 500 or 200-800`);
}

/** A fault, as `503` or `lost`, and its probability after a colon. */
function faultOf(text: string): FaultRule {
  const [name = "", share, ...rest] = text.split(":");
  if (!isFault(name))
    throw new CommandFailure(`--fault: ${JSON.stringify(name)} ${noneOf(FAULT_NAMES, name)}.`, 2);
  if (share === undefined) return { fault: name };
  const probability = Number(share);
  if (rest.length === 0 && /^[0-9.]+$/.test(share) && probability > 0 && probability <= 1)
    return { fault: name, probability };
  throw wrongValue(
    "--fault",
    text,
    "have a probability above 0 and not above 1 after the colon, for example 503:0.1",
  );
}

function isFault(name: string): name is FaultName {
  return FAULT_NAMES.some((each) => each === name);
}
