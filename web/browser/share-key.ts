// Loaded by a tab that shares its key, or looks for a key that another tab shares.

/** The key of this tab, for this script, which has variables of its own. */
export interface SharedKey {
  /** Empty if the tab shares none. */
  current(): string;
  signOut(): string;
  /** Takes over the key of another tab, unless this one has a key. */
  take(key: string): void;
}

/** What tabs of one browser tell each other. */
type Message =
  /** A tab without a key asks for one. */
  | { readonly kind: "ask" }
  /** A tab that shares its key hands it over, with the last sign-out that it knows of. */
  | { readonly kind: "offer"; readonly key: string; readonly signOut: string };

let channel: BroadcastChannel | undefined;

/**
 * Hands this tab's key to the other tabs, or takes over theirs: at first, and again whenever this tab's key has changed.
 * Only pages of this origin hear of it. Nothing is written anywhere.
 *
 * @param name the name of the key, which keeps services apart that a proxy serves below paths of one host
 */
export function shareKey(name: string, tab: SharedKey): void {
  const isFirst = channel === undefined;
  channel ??= new BroadcastChannel(name);
  const tell = (message: Message) => channel?.postMessage(message);
  const tellOwn = () => {
    const key = tab.current();
    if (key) tell({ kind: "offer", key, signOut: tab.signOut() });
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "ask") tellOwn();
    // A tab that has not heard of the last sign-out yet still offers the key that it ended.
    else if (data.signOut === tab.signOut()) tab.take(data.key);
  };
  if (isFirst) tell({ kind: "ask" });
  tellOwn();
}
