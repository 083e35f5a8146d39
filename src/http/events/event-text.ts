import type { ChangeEvent, EventType } from "../../domain/change-event.ts";
import { writeJson } from "../../domain/json-writer.ts";
import { representEvent } from "../../operations/event-representation.ts";

/** Some events as a stream sends them. */
interface EventText {
  readonly bytes: Uint8Array;
  readonly count: number;
  /** The id of the last event, if there is one. */
  readonly lastId: bigint | undefined;
}

const utf8 = new TextEncoder();

/** Tells clients to reconnect after two seconds: browsers differ in what they do by themselves. */
export const PREAMBLE = utf8.encode("retry: 2000\n\n");

/** A comment, which keeps proxies from closing an idle connection. */
const HEARTBEAT = utf8.encode(":\n\n");

/** A comment that also moves the position of a client that no event has reached for a time. */
export function heartbeatAt(position: bigint | undefined): Uint8Array {
  return position === undefined ? HEARTBEAT : utf8.encode(`:\nid: ${position}\n\n`);
}

/** A position without an event: a client that reconnects resumes after it. */
export function positionText(position: bigint): Uint8Array {
  return utf8.encode(`id: ${position}\n\n`);
}

/** What is sent of the events of a batch, by the types that a stream has. */
const texts = new WeakMap<readonly ChangeEvent[], Map<readonly EventType[], EventText>>();

/**
 * The events of a batch that are of some types, written once for all streams that send them.
 *
 * @param types the same array for all who may share the text
 */
export function textOf(events: readonly ChangeEvent[], types: readonly EventType[]): EventText {
  const written = texts.get(events) ?? new Map<readonly EventType[], EventText>();
  texts.set(events, written);
  const text = written.get(types) ?? writeEvents(events, types);
  written.set(types, text);
  return text;
}

/** Server-sent events (HTML Standard, section 9.2). JSON has no line breaks. */
function writeEvents(events: readonly ChangeEvent[], types: readonly EventType[]): EventText {
  let text = "";
  let count = 0;
  let lastId: bigint | undefined;
  for (const event of events) {
    if (!types.includes(event.type)) continue;
    lastId = event.id;
    text += `id: ${event.id}\nevent: ${event.type}\ndata: ${writeJson(representEvent(event))}\n\n`;
    count++;
  }
  return { bytes: utf8.encode(text), count, lastId };
}
