import { expect } from "bun:test";
import { join } from "node:path";

/** Works on a store from another process, as `visitor.ts` says; returns the numbers that it prints. */
export async function visit(url: string, ...args: string[]): Promise<bigint[]> {
  await using visitor = Bun.spawn([process.execPath, join(import.meta.dir, "visitor.ts"), url, ...args], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, complaint, exitCode] = await Promise.all([
    new Response(visitor.stdout).text(),
    new Response(visitor.stderr).text(),
    visitor.exited,
  ]);
  expect({ exitCode, complaint }).toEqual({ exitCode: 0, complaint: "" });
  return printed.trim().split("\n").map(BigInt);
}
