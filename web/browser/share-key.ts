// Loaded by a tab that shares its key, or looks for a key that another tab shares.

/** The key of this tab, for this script, which has variables of its own. */
export interface SharedKey {
  /** Empty if the tab shares none. */
  current(): string;
  signOut(): string;
  /** Takes over the key of another tab, unless this one has a key. */
  take(key: string): void;
  /** Forgets a key, if this tab shares it. */
  end(key: string): void;
}

/** What tabs of one browser tell each other. */
type Message =
  /** A tab without a key asks for one. */
  | { readonly kind: "ask" }
  /** A tab that shares its key hands it over, with the last sign-out that it knows of. */
  | { readonly kind: "offer"; readonly key: string; readonly signOut: string }
  /** A person has signed out. Browsers whose storage is full remember no sign-out, and tabs hear of it by this alone. */
  | { readonly kind: "end"; readonly key: string };

let channel: BroadcastChannel | undefined;

/**
 * Hands this tab's key to the other tabs, or takes over theirs: at first, and again whenever this tab's key has changed.
 * Only pages of this origin hear of it. Nothing is written anywhere.
 *
 * @param name the name of the key, which keeps services apart that a proxy serves below paths of one host
 * @param ended the key that this tab has signed out of; empty if it has not
 */
export function shareKey(name: string, tab: SharedKey, ended: string): void {
  const isFirst = channel === undefined;
  channel ??= new BroadcastChannel(name);
  const tell = (message: Message) => channel?.postMessage(message);
  const tellOwn = () => {
    const key = tab.current();
    if (key) tell({ kind: "offer", key, signOut: tab.signOut() });
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "ask") tellOwn();
    else if (data.kind === "end") tab.end(data.key);
    // A tab that has not heard of the last sign-out yet still offers the key that it ended.
    else if (data.signOut === tab.signOut()) tab.take(data.key);
  };
  if (ended) tell({ kind: "end", key: ended });
  if (isFirst) tell({ kind: "ask" });
  tellOwn();
}
