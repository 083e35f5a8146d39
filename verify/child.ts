/** How a program is started. */
interface Start {
  /** Its current folder. */
  readonly cwd: string;
  /** All of its environment: it inherits nothing. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Puts it into a process group of its own, which Ctrl+C in the terminal does not reach. */
  readonly detached?: boolean;
  /** Whether its standard error is kept, or shown. */
  readonly stderr?: "pipe" | "inherit";
}

/** What a program did that has ended. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child did not write what was awaited. */
export class OutputTimeout extends Error {
  /** Whether the time was up; else the child has ended. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

/** The line of its log with which a service says that it listens; its first group is the address. */
const LISTENING = /^(?=.*"msg":"listening).*"address":"([^"]+)"/m;

/** A running program whose output is read as it comes; `await using` kills it. */
export class Child implements AsyncDisposable {
  readonly exited: Promise<number>;
  readonly #process: Bun.Subprocess<"ignore", "pipe", "pipe" | "inherit">;
  readonly #command: readonly string[];
  /** Resolves when everything that it wrote has been read. */
  readonly #read: Promise<unknown>;
  #output = "";
  #errors = "";
  #isRead = false;
  #news = Promise.withResolvers<void>();

  constructor(command: readonly string[], { cwd, env, detached = false, stderr = "pipe" }: Start) {
    this.#command = command;
    this.#process = Bun.spawn([...command], { cwd, env, detached, stdin: "ignore", stdout: "pipe", stderr });
    this.exited = this.#process.exited;
    const streams = [
      gather(this.#process.stdout, (text) => {
        this.#output += text;
        this.#notify();
      }),
      gather(this.#process.stderr, (text) => {
        this.#errors += text;
      }),
    ];
    this.#read = Promise.all(streams).then(() => {
      this.#isRead = true;
      this.#notify();
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Its standard output so far. */
  get output(): string {
    return this.#output;
  }

  /** Its standard error so far, unless that is shown. */
  get errors(): string {
    return this.#errors;
  }

  /** Its CPU time in microseconds, once it has ended. */
  get cpuMicroseconds(): number {
    return Number(this.#process.resourceUsage()?.cpuTime.total ?? 0);
  }

  /**
   * Resolves to the first match in its standard output.
   *
   * @throws OutputTimeout if it ends without one, or takes longer than allowed
   */
  async says(wanted: string | RegExp, withinMs = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    let isLate = false;
    const becomeLate = () => {
      isLate = true;
      this.#notify();
    };
    const timer = Number.isFinite(withinMs) ? setTimeout(becomeLate, withinMs) : undefined;
    try {
      for (;;) {
        const found =
          typeof wanted === "string" ? this.#output.includes(wanted) && [wanted] : wanted.exec(this.#output);
        if (found) return found;
        if (isLate || this.#isRead) {
          const how = isLate ? "took too long to say" : "ended and did not say";
          const all = `${this.#output}${this.#errors}`.trim();
          throw new OutputTimeout(`${this.#command.join(" ")} ${how} ${wanted}: ${all}`, isLate);
        }
        await this.#news.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits until a service listens, and returns its address.
   *
   * @throws OutputTimeout
   */
  async listens(withinMs?: number): Promise<string> {
    const [, address = ""] = await this.says(LISTENING, withinMs);
    return address;
  }

  /** Waits for its end and reads everything that it wrote. */
  async ended(): Promise<Run> {
    const [exitCode] = await Promise.all([this.exited, this.#read]);
    return { exitCode, stdout: this.#output, stderr: this.#errors };
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.ended();
  }

  #notify(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

async function gather(
  stream: ReadableStream<Uint8Array> | undefined,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream ?? []) take(decoder.decode(chunk, { stream: true }));
}
