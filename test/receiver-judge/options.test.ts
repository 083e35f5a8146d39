import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ReceiverOptions, readReceiverOptions } from "../../src/commands/judge-receiver/options.ts";
import { temporaryFolder } from "../support/folder.ts";
import { OWN } from "./habitual-receiver.ts";

// What the command makes of its arguments, where a run would take long or need another name server.

/** Reads options with a secret. @param leadsTo the addresses of each name, one look-up after the other */
async function read(address: string, given: Partial<ReceiverOptions>, leadsTo: readonly string[] = []) {
  using folder = temporaryFolder();
  const secretFile = join(folder.path, "secret");
  writeFileSync(secretFile, OWN);
  const options = { threshold: "100", timeout: "15", secretFile, ...given };
  const left = [...leadsTo];
  return await readReceiverOptions(address, options, 1000 * Number(options.timeout), async () => [
    left.shift() as string,
  ]);
}

test("--timeout shortens how long a response may take, and does not prolong it past a relay's patience", async () => {
  const responseMs = async (timeout: string) => (await read("http://127.0.0.1/", { timeout })).responseMs;
  expect([await responseMs("2"), await responseMs("60")]).toEqual([2_000, 15_000]);
});

test("a name that led to this machine leads nowhere else later, unless --allow-private is set", async () => {
  // It is asked before the first delivery, and where it leads is looked at once more.
  const leadsTo = ["127.0.0.1", "127.0.0.1", "10.0.0.1"];
  const { target } = await read("http://receiver.test/", {}, leadsTo);
  await expect(target.addresses()).rejects.toThrow("receiver.test leads to this machine no more");
  const allowed = await read("http://receiver.test/", { allowPrivate: true }, leadsTo);
  expect(await allowed.target.addresses()).toEqual(["10.0.0.1"]);
});
