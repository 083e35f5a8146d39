import { useLayoutEffect, useState } from "preact/hooks";
import { ENVIRONMENT } from "./environment.ts";
import { KEY_NAME } from "./key-name.ts";

/** @param ended the key that this tab shared and its person has signed out of; empty after any other change */
type Listener = (ended: string) => void;
const listeners = new Set<Listener>();

function tell(ended = ""): void {
  for (const listener of listeners) listener(ended);
}

/** Where a tab that shares its key remembers the last sign-out before it had the key. */
const SHARED_NAME = `${KEY_NAME}shared`;
/** Where the browser remembers when somebody last signed out of a shared key. It says nothing of the key. */
const SIGN_OUT_NAME = `${KEY_NAME}sign-out`;

/** The API key of this tab. It survives a reload, and is gone when the tab is closed. */
export function storedKey(): string {
  try {
    // Another tab has signed out, perhaps while this one showed a page that did not hear of it.
    if (sharesKey() && sessionStorage.getItem(SHARED_NAME) !== lastSignOut()) forgetKey();
    return sessionStorage.getItem(KEY_NAME) ?? unkept;
  } catch {
    return unkept;
  }
}
/** A browser may forbid pages to store anything, or have no room: the key then lasts as long as the page. */
let unkept = "";

/** Whether this tab shares its key with the other tabs of the browser. */
export function sharesKey(): boolean {
  try {
    return sessionStorage.getItem(SHARED_NAME) !== null;
  } catch {
    return false;
  }
}

/** What the button says that forgets the key. */
export function signOutLabel(): string {
  return sharesKey() ? "Sign out of all tabs" : "Sign out";
}

/** The last sign-out from a shared key in this browser; empty before the first. @throws where storage is forbidden */
export function lastSignOut(): string {
  return localStorage.getItem(SIGN_OUT_NAME) ?? "";
}

function forgetKey(next = ""): void {
  unkept = next;
  sessionStorage.removeItem(KEY_NAME);
  sessionStorage.removeItem(SHARED_NAME);
}

/** Keeps a key for this tab; an empty text forgets it, in each tab that shares it. */
export function storeKey(key: string, isShared = false): void {
  let ended = "";
  try {
    if (!key && sharesKey()) ended = storedKey();
    forgetKey(key);
    // After that, since a browser may refuse this alone.
    if (ended) localStorage.setItem(SIGN_OUT_NAME, String(Date.now()));
    if (key) sessionStorage.setItem(KEY_NAME, key);
    // A page that comes back from the back/forward cache must not know it better than the tab, which may have signed out.
    unkept = "";
    if (key && isShared) sessionStorage.setItem(SHARED_NAME, lastSignOut());
  } catch {}
  tell(ended);
}

/** Forgets a key that another tab has signed out of, if this tab shares it. */
export function endKey(key: string): void {
  if (!sharesKey() || storedKey() !== key) return;
  forgetKey();
  tell();
}

/** Hears of sign-outs in other tabs: at once, and when the page comes back from the back/forward cache. */
export function hearSignOut(): void {
  addEventListener("storage", ({ key }: StorageEvent) => key === SIGN_OUT_NAME && tell());
  addEventListener("pageshow", ({ persisted }: PageTransitionEvent) => persisted && tell());
}

/** Calls a function whenever the key of this tab may have changed. @returns what ends that */
export function onKeyChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The key of this tab, current even if another part of the page changes it. */
export function useKey(): string {
  const [key, setKey] = useState(storedKey);
  // At once: an effect waits for a frame, which a tab in the background lacks, and another tab's key does not wait.
  useLayoutEffect(() => onKeyChange(() => setKey(storedKey())), []);
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
