import { closeSync, openSync } from "node:fs";

/**
 * Asserts that the process can open this many more files at once.
 *
 * @throws open(2)'s error
 */
export function assertFreeDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync("/dev/null", "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
