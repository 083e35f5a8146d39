/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { Refusal } from "./action.tsx";
import { Part } from "./part.tsx";
import type { Act } from "./use-sandbox.ts";

/** Something that happens to clients of real services, and the question that it puts to yours. */
interface Preset {
  readonly title: string;
  readonly text: string;
  readonly done: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

/** The sunset of the operation `getPet`, which then returns 410. */
export const SUNSET = "2030-12-05T00:00:00Z";

function fault(title: string, text: string, done: string, rule: object): Preset {
  return { title, text, done, method: "POST", path: "/faults", body: { faults: [rule] } };
}

const PRESETS: readonly Preset[] = [
  fault(
    "Lose the next response",
    "The request is carried out, but no response comes. Does your retry add a second animal?",
    "The next response will be lost.",
    { fault: "lost", count: 1 },
  ),
  fault(
    "Rate limit three times",
    "Three responses are 429 with Retry-After. Does your client wait?",
    "The next three requests will get 429.",
    { fault: "429", count: 3, retryAfterSeconds: 2 },
  ),
  fault(
    "Overload the service once",
    "One response is 503. Does your client try again, and not at once?",
    "The next request will get 503.",
    { fault: "503", count: 1 },
  ),
  fault(
    "Slow down five requests",
    "Each takes three seconds. What do your users see meanwhile?",
    "The next five requests will take three seconds.",
    { fault: "delay", count: 5, delayMs: 3000 },
  ),
  fault(
    "Break the next JSON",
    "A response ends in its middle. Does your client notice?",
    "The next response will be broken.",
    { fault: "malformed_json", count: 1 },
  ),
  {
    title: "The sunset has come",
    text: "It is 5 December 2030, and getPet returns 410. Does your client still need it?",
    done: "It is 5 December 2030.",
    method: "PUT",
    path: "/clock",
    body: { now: SUNSET },
  },
];

/** What goes wrong now and then, each with one button. */
export function Presets({ act }: { act: Act }) {
  const [refusal, setRefusal] = useState("");
  return (
    <Part name="presets" title="What if…">
      <ul class="preset-cards">
        {PRESETS.map(({ title, text, done, method, path, body }) => (
          <li key={title}>
            <button type="button" onClick={async () => setRefusal(await act(done, method, path, body))}>
              <strong>{title}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
      <Refusal text={refusal} />
    </Part>
  );
}
