import { REFUSALS } from "../../../test/receiver-judge/refusals.ts";

/** A receiver of the collection, with the verdict that a person gave it. */
interface JudgedReceiver {
  readonly language: "js" | "python" | "go";
  /** What it does otherwise than the first in its language. */
  readonly habits: readonly string[];
  /** The rules that it breaks, as a person sees it. */
  readonly breaks: readonly string[];
}

/** Fifteen receivers, good ones and bad ones. */
export const RECEIVERS: readonly JudgedReceiver[] = [
  { language: "js", habits: [], breaks: [] },
  {
    language: "js",
    habits: ["serializes the body again"],
    breaks: ["refuses-changed-bodies", "raw-bodies", "exact-integers"],
  },
  { language: "js", habits: ["rounds"], breaks: ["exact-integers"] },
  { language: "js", habits: ["is fooled by no number"], breaks: ["refuses-garbage"] },
  { language: "js", habits: ["throws at unknown types"], breaks: ["unknown-types"] },
  { language: "python", habits: [], breaks: [] },
  { language: "python", habits: ["keeps the highest id"], breaks: [] },
  {
    language: "python",
    habits: ["checks no age"],
    breaks: ["refuses-old", "refuses-future", "refuses-garbage"],
  },
  { language: "python", habits: ["looks at the first signature"], breaks: ["several-signatures"] },
  {
    language: "python",
    habits: ["accepts everything and acts on what is genuine"],
    breaks: REFUSALS,
  },
  { language: "go", habits: [], breaks: [] },
  { language: "go", habits: ["notes the id before it checks"], breaks: ["forgeries-block-nothing"] },
  { language: "go", habits: ["lets the last event win"], breaks: ["keeps-order"] },
  { language: "go", habits: ["acts twice"], breaks: ["acts-once"] },
  { language: "go", habits: ["works before it responds"], breaks: ["in-time"] },
];
