/** @jsxImportSource preact */
import { render } from "preact";
import { App } from "./app.tsx";
import type { FaultField } from "./document.ts";

const place = document.getElementById("sandbox");
if (place) {
  const fields: readonly FaultField[] = JSON.parse(place.dataset.faultFields ?? "[]");
  place.replaceChildren();
  render(<App fields={fields} />, place);
}
