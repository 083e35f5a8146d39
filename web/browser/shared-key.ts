import { endKey, hearSignOut, lastSignOut, onKeyChange, sharesKey, storedKey, storeKey } from "./key.ts";
import { KEY_NAME } from "./key-name.ts";
import { loadScript } from "./load-script.ts";
import type { SharedKey, shareKey } from "./share-key.ts";

/** Takes over the key that other tabs share, and hands over this tab's once it is shared. */
export function followSharedKey(): void {
  const tab: SharedKey = {
    current: () => (sharesKey() ? storedKey() : ""),
    signOut: lastSignOut,
    take: (key) => storedKey() || storeKey(key, true),
    end: endKey,
  };
  const follow = (ended = "") => {
    loadScript<{ readonly shareKey: typeof shareKey }>("share")
      .then((script) => script.shareKey(KEY_NAME, tab, ended))
      // Without the script, each tab asks for a key. The next key that is shared loads it again.
      .catch(() => {});
  };
  hearSignOut();
  onKeyChange((ended) => (ended || tab.current()) && follow(ended));
  if (tab.current() || !storedKey()) follow();
}
