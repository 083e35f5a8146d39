/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { Message } from "../console/message.tsx";

/** Does something. @returns why it was refused; empty if it was done */
type Run = () => Promise<string>;

/** A button, with the refusal of what it does next to it. */
export function ActionButton(props: {
  readonly label: string;
  readonly run: Run;
  /** What it is about, for a reader who does not see what it stands next to. */
  readonly about?: string;
  /** It is asked before what cannot be undone. */
  readonly question?: string;
  readonly class?: string;
}) {
  const { label, run, about, question, class: className = "" } = props;
  const [isAsking, setAsking] = useState(false);
  const [refusal, setRefusal] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  // The focus is on the button that loses nothing, and comes back to where it was.
  useEffect(() => {
    if (isAsking) keep.current?.focus();
  }, [isAsking]);
  const stop = () => {
    setAsking(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  const act = async () => {
    setAsking(false);
    setRefusal(await run());
  };
  if (isAsking)
    return (
      <fieldset class="asking" aria-label={question} onKeyDown={({ key }) => key === "Escape" && stop()}>
        <span>{question}</span>
        <button type="button" class="button small danger" onClick={act}>
          {label}
        </button>
        <button type="button" class="button small" ref={keep} onClick={stop}>
          Keep
        </button>
      </fieldset>
    );
  return (
    <>
      <button
        type="button"
        class={`button ${className}`}
        aria-label={about && `${label} ${about}`}
        ref={button}
        onClick={() => (question ? setAsking(true) : void act())}
      >
        {label}
      </button>
      <Refusal text={refusal} />
    </>
  );
}

/** Why something was refused, in the sandbox's words. */
export function Refusal({ text, id }: { text: string; id?: string }) {
  return (
    <span class="fault" role="alert" id={id}>
      {text ? <Message text={text} /> : null}
    </span>
  );
}
