/** Characters of one message: the service's largest event has some 2,000. */
const MESSAGE_MAX = 100_000;

/** Reads an event stream (WHATWG HTML, section 9.2.6), in pieces of any size. A message that is cut off is left out. */
export class ServerSentEventParser {
  /** The line that has not ended yet. */
  #line = "";
  /** The previous piece ended with a carriage return: a line feed that follows belongs to it. */
  #afterReturn = false;
  #data: string[] = [];
  #dataLength = 0;
  #id: string;
  #lastId: string;

  /** @param lastId where an earlier connection ended; empty if there was none */
  constructor(lastId: string) {
    this.#id = lastId;
    this.#lastId = lastId;
  }

  /** Where to resume: the `id` of the last message, also of one without data, with which a service moves its reader on. */
  get lastId(): string {
    return this.#lastId;
  }

  /**
   * The data of the messages that a piece completes.
   * @throws RangeError if a message is larger than any that the service sends
   */
  *push(piece: string): Generator<string, void, undefined> {
    if (piece === "") return;
    const text = this.#afterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#afterReturn = piece.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop() as string;
    for (const line of lines) {
      if (line !== "") this.#read(line);
      else {
        const data = this.#data.join("\n");
        const hasData = this.#data.length > 0;
        this.#lastId = this.#id;
        this.#data = [];
        this.#dataLength = 0;
        if (hasData) yield data;
      }
    }
    if (this.#line.length > MESSAGE_MAX) throw tooLarge();
  }

  #read(line: string): void {
    const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) as unknown as [string, string, string];
    if (field === "data") {
      this.#dataLength += value.length + 1;
      if (this.#dataLength > MESSAGE_MAX) throw tooLarge();
      this.#data.push(value);
    } else if (field === "id" && !value.includes("\0")) this.#id = value;
  }
}

function tooLarge(): RangeError {
  return new RangeError(`a message is longer than ${MESSAGE_MAX} characters`);
}
