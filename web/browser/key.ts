import { useEffect, useState } from "preact/hooks";
import { KEY_NAME } from "../model/key-name.ts";
import { ENVIRONMENT } from "./environment.ts";

const listeners = new Set<() => void>();

/** The API key of this tab. It survives a reload, and is gone when the tab is closed. */
export function storedKey(): string {
  try {
    return sessionStorage.getItem(KEY_NAME) ?? "";
  } catch {
    // A browser may forbid pages to store anything; the key then lasts as long as the page.
    return unstored;
  }
}
let unstored = "";

/** Keeps a key for this tab; an empty text forgets it. */
export function storeKey(key: string): void {
  unstored = key;
  try {
    if (key) sessionStorage.setItem(KEY_NAME, key);
    else sessionStorage.removeItem(KEY_NAME);
  } catch {}
  for (const listener of listeners) listener();
}

/** Calls a function whenever the key of this tab changes. @returns what ends that */
export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The key of this tab, current even if another part of the page changes it. */
export function useKey(): string {
  const [key, setKey] = useState(storedKey);
  useEffect(() => onKeyChange(() => setKey(storedKey())), []);
  return key;
}

const PREFIXES: Readonly<Record<string, string>> = { production: "as_live_", staging: "as_test_" };

/** What the keys of this environment begin with. */
export const PREFIX = PREFIXES[ENVIRONMENT] ?? "";

/** What is wrong with a key before the service is asked; empty if nothing is. */
export function faultOfKey(key: string): string {
  if (key === "") return "Enter an API key.";
  const other = Object.keys(PREFIXES).find(
    (each) => each !== ENVIRONMENT && key.startsWith(PREFIXES[each] ?? ""),
  );
  if (other) return `This is ${ENVIRONMENT}, and the key is for ${other}: it does not work here.`;
  if (!key.startsWith(PREFIX)) return `A key for ${ENVIRONMENT} begins with ${PREFIX}.`;
  // A key copied in its shortened form has other characters, which no header carries.
  return /^\w+$/.test(key)
    ? ""
    : "A key has only letters, digits and underscores: copy all of it, and nothing else.";
}

/** A text to copy, with this tab's key in place of its shortened form. */
export function withWholeKey(text: string): string {
  const key = storedKey();
  return key ? text.replaceAll(shortened(key), key) : text;
}

/** A key shortened for display: its prefix and its last characters. */
export function shortened(key: string): string {
  return key.length > 16 ? `${key.slice(0, 8)}…${key.slice(-4)}` : "…";
}
