/** @jsxImportSource preact */
// The script of `/docs`.
import { render } from "preact";
import { followSharedKey } from "../browser/shared-key.ts";
import { enhancePage } from "./every-page.tsx";
import { KeyField } from "./key-field.tsx";
import { makeTabs } from "./tabs.ts";
import { Try } from "./try.tsx";
import type { TryModel } from "./try-model.ts";

enhancePage();
makeTabs();
for (const place of document.querySelectorAll<HTMLElement>("[data-try]"))
  render(<Try model={JSON.parse(place.dataset.try ?? "") as TryModel} />, place);
const key = document.getElementById("key");
if (key) {
  key.replaceChildren();
  render(<KeyField />, key);
}
followSharedKey();
