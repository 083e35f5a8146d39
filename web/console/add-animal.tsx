/** @jsxImportSource preact */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Animal } from "../../client/contract.ts";
import { refusalOf } from "../browser/refusal.ts";
import { addAnimal, newAttempt } from "./add-attempt.ts";
import { AnimalName } from "./animal-name.tsx";
import { Dialog } from "./dialog.tsx";
import { bodyOf, type Draft, emptyDraft } from "./draft.ts";
import { memberFaults } from "./member-faults.ts";
import { MemberField } from "./member-field.tsx";
import { MEMBER_NAMES } from "./members.ts";
import { Message } from "./message.tsx";
import { refusedChange } from "./refused-change.ts";
import type { Session } from "./session.ts";

const UNKNOWN =
  "No response came: the animal may or may not have been added. Send it again, also with changes: the console finds out, " +
  "and adds it only if the first attempt did not.";

export interface AddAnimalProps {
  readonly session: Session;
  readonly onAdded: (animal: Animal) => void;
  /** An earlier attempt, whose response was lost, had added an animal. */
  readonly onAddedBefore: (animal: Animal) => void;
  readonly onOpen: (animal: Animal) => void;
  readonly onClose: () => void;
}

/** The form for a new animal. It checks nothing itself: the service's messages appear beside the fields at fault. */
export function AddAnimal({ session, onAdded, onAddedBefore, onOpen, onClose }: AddAnimalProps) {
  const [draft, setDraft] = useState<Draft>(() => session.draft.current ?? emptyDraft());
  // The draft outlives this form where the key ends while a person types. Once it was sent, a rendering must not bring it back.
  useLayoutEffect(() => {
    session.draft.current = draft;
  }, [draft]);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [before, setBefore] = useState<Animal>();
  const [sending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const change = (changes: Partial<Draft>) => setDraft((known) => ({ ...known, ...changes }));
  const close = () => {
    session.draft.current = undefined;
    onClose();
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    const body = bodyOf(draft);
    const outcome = await addAnimal(session.service, draft.attempt, body);
    setSending(false);
    setBefore(undefined);
    if (outcome.kind === "added") {
      session.draft.current = undefined;
      return onAdded(outcome.animal);
    }
    if (outcome.kind === "added before") {
      setFaults(new Map());
      setBefore(outcome.animal);
      change({ attempt: newAttempt() });
      return onAddedBefore(outcome.animal);
    }
    if (outcome.kind === "unknown") {
      const { attempt } = draft;
      change({ attempt: { ...attempt, unknown: [...new Set([...attempt.unknown, body])] } });
    }
    const message = refusedChange(session, "pets:write", outcome.response);
    if (message === "") return outcome.response?.status === 403 ? close() : undefined;
    const found = memberFaults(outcome.response && refusalOf(outcome.response).code, message ?? UNKNOWN);
    setFaults(found);
    form.current?.querySelector<HTMLElement>(`[name="${[...found.keys()][0]}"]`)?.focus();
  };
  return (
    <Dialog title="Add an animal" onClose={close}>
      <form ref={form} onSubmit={submit} noValidate>
        {MEMBER_NAMES.map((name) => (
          <MemberField
            key={name}
            name={name}
            value={draft[name]}
            fault={faults.get(name)}
            onInput={(value) => change({ [name]: value })}
          />
        ))}
        <p class="fault" role="alert">
          <Message text={faults.get("") ?? ""} />
        </p>
        {before ? <AddedBefore animal={before} onOpen={() => onOpen(before)} /> : null}
        <p class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={sending}>
            {sending ? "Adding…" : before ? "Add this one, too" : "Add animal"}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** What the first attempt did, and what a person can do about it. */
function AddedBefore({ animal, onOpen }: { animal: Animal; onOpen: () => void }) {
  const notice = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => notice.current?.focus(), []);
  return (
    <div class="callout warn" role="alert" tabIndex={-1} ref={notice}>
      <strong>The first attempt did arrive.</strong> <AnimalName name={animal.name} /> was added as{" "}
      <code>{String(animal.id)}</code>, and nothing else was. No operation changes an animal; the operator
      can, with <code>animal-store animals set {String(animal.id)}</code>.{" "}
      <button type="button" class="link" onClick={onOpen}>
        Open it
      </button>
    </div>
  );
}
