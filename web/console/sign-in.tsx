/** @jsxImportSource preact */
import { Fragment } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "../browser/copy.tsx";
import { isWhole, NOT_WHOLE, storeKey } from "../browser/key.ts";
import { KeyInput } from "../browser/key-input.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import { ENVIRONMENT, OFFERS_ORDERS, SCOPES } from "./offers.ts";
import type { Service } from "./service.ts";

const PREFIXES: Readonly<Record<string, string>> = { production: "as_live_", staging: "as_test_" };

const CREATE_KEY = `animal-store keys create --name console --environment ${ENVIRONMENT} --scopes ${SCOPES}`;

/** Where the console begins: it asks for a key, and says how to get one. */
export function SignIn({ service, refused }: { service: Service; refused: boolean }) {
  const [key, setKey] = useState("");
  const [fault, setFault] = useState(refused ? REFUSED : "");
  const [checking, setChecking] = useState(false);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    const trimmed = key.trim();
    const found = faultOf(trimmed);
    setFault(found);
    if (found) return field.current?.focus();
    setChecking(true);
    const call = { method: "GET", path: "/pets?limit=1", headers: {} };
    const { response } = await service.call(call, { key: trimmed });
    setChecking(false);
    if (response?.status === 401) {
      setFault(REFUSED);
      field.current?.focus();
    } else storeKey(trimmed);
  };
  return (
    <section class="card sign-in">
      <h1>Animals in {ENVIRONMENT}</h1>
      <p class="lead">
        {OFFERS_ORDERS ? "See the stock, add to it and handle its orders." : "See the stock and add to it."}{" "}
        The console uses the public interface, with your API key.
      </p>
      <form onSubmit={submit} noValidate>
        <label for={id}>API key</label>
        <p class="key-line">
          <KeyInput
            inputRef={field}
            placeholder={`${PREFIXES[ENVIRONMENT]}…`}
            value={key}
            onInput={setKey}
            {...{ id, fault }}
          />
          <button type="submit" class="button primary" disabled={checking}>
            {checking ? "Checking…" : "Open"}
          </button>
        </p>
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
        <p class="hint" id={`${id}-hint`}>
          This tab keeps the key and forgets it when you close the tab. It is sent to this service and to
          nobody else.
        </p>
      </form>
      <h2>Where to get a key</h2>
      <p>The operator of this service makes one, with the scopes that you need:</p>
      <div class="code">
        <pre {...SCROLLS}>
          <code>
            <Command line={CREATE_KEY} />
          </code>
        </pre>
        <CopyButton text={() => CREATE_KEY} />
      </div>
      <p class="hint">A new service prints its first key when it starts.</p>
    </section>
  );
}

/** A command that breaks between its words, and a list after a comma. */
function Command({ line }: { line: string }) {
  return (
    <>
      {line.split(" ").map((word) => (
        <Fragment key={word}>
          <span class="word">
            {word.split(",").map((part, at) => (at === 0 ? part : [",", <wbr key={part} />, part]))}
          </span>{" "}
        </Fragment>
      ))}
    </>
  );
}

const REFUSED = "The service refused this key: it is unknown, expired or revoked.";

/** What is wrong with a key before the service is asked. */
function faultOf(key: string): string {
  const prefix = PREFIXES[ENVIRONMENT] ?? "";
  if (key === "") return "Enter an API key.";
  const other = Object.keys(PREFIXES).find(
    (each) => each !== ENVIRONMENT && key.startsWith(PREFIXES[each] ?? ""),
  );
  if (other) return `This is ${ENVIRONMENT}, and the key is for ${other}: it does not work here.`;
  if (!key.startsWith(prefix)) return `A key for ${ENVIRONMENT} begins with ${prefix}.`;
  return isWhole(key) ? "" : NOT_WHOLE;
}
