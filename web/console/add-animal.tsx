/** @jsxImportSource preact */
import { useRef, useState } from "preact/hooks";
import { type Animal, createPet } from "../../client/contract.ts";
import { randomId } from "../../client/request.ts";
import { refusalOf } from "../browser/refusal.ts";
import { Dialog } from "./dialog.tsx";
import { FormField } from "./form-field.tsx";
import { memberFaults } from "./member-faults.ts";
import { Message } from "./message.tsx";
import { refusedChange } from "./refused-change.ts";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { ANIMAL_STATUSES } from "./statuses.ts";

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

interface Props {
  readonly session: Session;
  readonly onAdded: (animal: Animal) => void;
  readonly onClose: () => void;
}

/** The form for a new animal. It checks nothing itself: the service's messages appear beside the fields at fault. */
export function AddAnimal({ session, onAdded, onClose }: Props) {
  const [name, setName] = useState("");
  const [categoryId, setCategoryId] = useState("");
  const [status, setStatus] = useState<string>("available");
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [sending, setSending] = useState(false);
  /** A key belongs to its content: sending the same content again is a retry, other content a new create. */
  const attempt = useRef({ body: "", key: "" });
  const form = useRef<HTMLFormElement>(null);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending) return;
    const body = bodyOf(name, categoryId, status);
    if (attempt.current.body !== body) attempt.current = { body, key: randomId() };
    setSending(true);
    const { response } = await session.service.call({
      method: "POST",
      path: "/pets",
      headers: { "Content-Type": "application/json", "Idempotency-Key": attempt.current.key },
      body,
    });
    setSending(false);
    const animal = resultOf(response, createPet);
    if (animal) return onAdded(animal);
    const message = refusedChange(session, "pets:write", response);
    if (message === "") return onClose();
    const found = memberFaults(
      response && refusalOf(response).code,
      message ?? "No response came. Try again: the animal is added once, however often you try.",
    );
    setFaults(found);
    form.current?.querySelector<HTMLElement>(`[name="${[...found.keys()][0]}"]`)?.focus();
  };
  return (
    <Dialog title="Add an animal" onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <FormField
          label="Name"
          hint="1 to 255 characters, kept exactly as you type it."
          fault={faults.get("name")}
        >
          {(attributes) => (
            <input
              {...attributes}
              name="name"
              class="input"
              dir="auto"
              autocomplete="off"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </FormField>
        <FormField
          label="Category"
          hint="The category's id, a whole number."
          fault={faults.get("categoryId")}
        >
          {(attributes) => (
            <input
              {...attributes}
              name="categoryId"
              class="input mono"
              inputMode="numeric"
              autocomplete="off"
              value={categoryId}
              onInput={({ currentTarget }) => setCategoryId(currentTarget.value)}
            />
          )}
        </FormField>
        <FormField label="Status" fault={faults.get("status")}>
          {(attributes) => (
            <select
              {...attributes}
              name="status"
              class="input"
              value={status}
              onInput={({ currentTarget }) => setStatus(currentTarget.value)}
            >
              {ANIMAL_STATUSES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </FormField>
        <p class="fault" role="alert">
          <Message text={faults.get("") ?? ""} />
        </p>
        <p class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={sending}>
            {sending ? "Adding…" : "Add animal"}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** The form as JSON. Digits are copied, since JavaScript's numbers would round them. Empty fields are left out. */
function bodyOf(name: string, categoryId: string, status: string): string {
  const category = categoryId.trim();
  const members = [
    ...(name === "" ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(category === ""
      ? []
      : [`"categoryId":${JSON_NUMBER.test(category) ? category : JSON.stringify(category)}`]),
    `"status":${JSON.stringify(status)}`,
  ];
  return `{${members.join(",")}}`;
}
