/** Where one generator works: all paths are absolute. */
export interface Workplace {
  /** The OpenAPI document to read. */
  readonly document: string;
  /** A copy of the generator's folder below `programs/`; the client goes into `client` there. */
  readonly folder: string;
}

/** One command, with its arguments. */
export type Command = readonly string[];

/** What a generator is held to. */
export interface Generator {
  /** Also the name of its folder below `programs/`: the language, and the tool. */
  readonly name: string;
  readonly language: string;
  /** The programs that must be there. */
  readonly needs: readonly string[];
  /** Makes the client; its warnings are counted. */
  readonly generate: (at: Workplace) => readonly Command[];
  /** Warnings that the tool prints for every document. */
  readonly saysAlways?: RegExp;
  /** Compiles client and program, or checks their syntax where the language compiles nothing before it runs. */
  readonly compile: (at: Workplace) => readonly Command[];
  /** Runs the program that uses the client; left out where only a server's stub is made. */
  readonly run?: (at: Workplace) => Command;
  /** The program on the language's page in `docs/clients`, which uses the client too. */
  readonly page?: {
    /** The name of the page, and of its blocks of code. */
    readonly language: string;
    /** Where the program is written before `compile`, in the folder. */
    readonly file: string;
    readonly run: Command;
  };
  /** What it makes of `webhooks`: nothing, a call as of an operation, the stub of a receiver, or a sender to any address. */
  readonly webhooks: "left out" | "a call" | "a stub" | "a sender";
  /** What the program reads where 9223372036854775807 was meant. */
  readonly greatest?: string;
}
