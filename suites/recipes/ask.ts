import { expect } from "bun:test";
import { run } from "../../test/support/program.ts";

/** Sends a request, and reads the JSON of its response. */
export type Ask = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<unknown>;

export function asker(address: string, key: string): Ask {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${address}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return await response.json();
  };
}

/** How a program starts on a store in a folder. */
export function placeOf(folder: string, program: string) {
  return (url: string) => ({
    cwd: folder,
    program,
    env: { DATABASE_URL: url, STABILITY: "experimental" },
  });
}

export type Place = ReturnType<ReturnType<typeof placeOf>>;

/** Runs a command of a program, which must succeed; returns what it writes. */
export async function succeed(at: Parameters<typeof run>[1], ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(args, at);
  expect({ args, exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ args, exitCode: 0, stderr: "" });
  return stdout;
}
