/** @jsxImportSource preact */
import { Fragment } from "preact";
import { CopyButton } from "../browser/copy.tsx";
import { ENVIRONMENT, PLACE } from "../browser/environment.ts";
import { storeKey } from "../browser/key.ts";
import { KeyForm } from "../browser/key-form.tsx";
import { SCROLLS } from "../parts/scrolls.ts";
import { OFFERS_ORDERS, SANDBOX_KEY, SCOPES } from "./offers.ts";
import type { Service } from "./service.ts";

const CREATE_KEY = `animal-store keys create --name console --environment ${ENVIRONMENT} --scopes ${SCOPES}`;
const REFUSED = "The service refused this key: it is unknown, expired or revoked.";

/** Where the console begins: it asks for a key, and says how to get one. */
export function SignIn(props: {
  readonly service: Service;
  /** Whether the service has refused the key that was used. */
  readonly refused: boolean;
  /** Whether the text of a form waits for another key. */
  readonly keepsDraft: boolean;
}) {
  const { service, refused, keepsDraft } = props;
  const check = async (key: string) => {
    const { response } = await service.call({ method: "GET", path: "/pets?limit=1", headers: {} }, { key });
    return response?.status === 401 ? REFUSED : "";
  };
  return (
    <section class="card sign-in">
      <h1>Animals in {PLACE === "sandbox" ? "a sandbox" : PLACE}</h1>
      {keepsDraft ? (
        <p class="callout good" role="status">
          What you typed is kept: it is there again once you have entered a key.
        </p>
      ) : null}
      <p class="lead">
        {OFFERS_ORDERS ? "See the stock, add to it and handle its orders." : "See the stock and add to it."}{" "}
        The console uses the public interface, with your API key.
      </p>
      {SANDBOX_KEY ? (
        <div class="sandbox-key">
          <button ref={focus} type="button" class="button primary" onClick={() => storeKey(SANDBOX_KEY)}>
            Open with the sandbox's key
          </button>
          <p class="hint">It may do everything here, and nothing anywhere else.</p>
        </div>
      ) : null}
      <KeyForm
        id="api-key"
        label={SANDBOX_KEY ? "Another API key" : "API key"}
        action="Open"
        hint="The key is forgotten when you close the last tab that has it. It is sent to this service and to nobody else."
        fault={refused ? REFUSED : ""}
        isFirst={!SANDBOX_KEY}
        check={check}
      />
      <h2>Where to get a key</h2>
      <p>The operator of this service makes one, with the scopes that you need:</p>
      <div class="code">
        <pre {...SCROLLS} data-language="sh">
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

const focus = (element: HTMLElement | null) => element?.focus();

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
