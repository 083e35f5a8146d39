/** @jsxImportSource preact */
import { render } from "preact";
import { loadScript } from "../browser/load-script.ts";
import { followSharedKey } from "../browser/shared-key.ts";
import { listenForSearch } from "../reference/listen-for-search.ts";
import { App } from "./app.tsx";
import { namesSeen } from "./names-seen.ts";
import type { openPalette } from "./palette.tsx";
import { listenForRowKeys } from "./row-keys.ts";

const place = document.getElementById("console");
if (place) {
  place.replaceChildren();
  render(<App />, place);
  followSharedKey();
  listenForRowKeys();
  listenForSearch(async () =>
    (await loadScript<{ readonly openPalette: typeof openPalette }>("palette")).openPalette(namesSeen),
  );
}
