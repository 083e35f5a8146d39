interface Task {
  due: number;
  readonly order: number;
  readonly every: number | undefined;
  readonly run: () => void;
}

type Start = (run: () => void, milliseconds?: number) => unknown;

/** The moment at which each simulation begins, in milliseconds since 1970. */
const BEGINS_AT = Date.UTC(2026, 0, 1);

/** A clock that takes the place of the runtime's, and stands still unless it is told to go on. */
export class VirtualClock implements Disposable {
  #now = 1000;
  #order = 0;
  /** Callbacks that the event loop has not run yet: time passes when there are none. */
  #immediates = 0;
  readonly #tasks = new Set<Task>();
  readonly #restore: () => void;
  readonly #immediate = globalThis.setImmediate;

  /** Takes the place of the runtime's timers and clocks, until it is disposed of. */
  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;
    const [sleep, monotonic, wall, timeout] = [Bun.sleep, performance.now, Date.now, AbortSignal.timeout];
    const start =
      (repeats: boolean): Start =>
      (run, milliseconds = 0) =>
        this.#add(run, milliseconds, repeats ? Math.max(1, milliseconds) : undefined);
    const clear = (task: unknown) => void this.#tasks.delete(task as Task);
    Object.assign(globalThis, {
      setTimeout: start(false),
      setInterval: start(true),
      clearTimeout: clear,
      clearInterval: clear,
      setImmediate: (run: () => void) => {
        this.#immediates++;
        return this.#immediate(() => {
          this.#immediates--;
          run();
        });
      },
    });
    Object.assign(Bun, { sleep: (milliseconds: number) => this.sleep(milliseconds) });
    AbortSignal.timeout = (milliseconds) => {
      const controller = new AbortController();
      this.#add(() => controller.abort(), milliseconds, undefined);
      return controller.signal;
    };
    performance.now = () => this.#now;
    Date.now = () => BEGINS_AT + Math.floor(this.#now);
    this.#restore = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate });
      Object.assign(Bun, { sleep });
      AbortSignal.timeout = timeout;
      performance.now = monotonic;
      Date.now = wall;
    };
  }

  /** Milliseconds since the beginning of the simulation. */
  get now(): number {
    return this.#now;
  }

  /** Runs something at a time. */
  at(due: number, run: () => void): void {
    this.#add(run, due - this.#now, undefined);
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#add(resolve, milliseconds, undefined));
  }

  /** Lets the time pass up to a moment, or until something has come to its end. */
  async runUntil(end: number, isOver: () => boolean = () => false): Promise<void> {
    await this.#settle();
    for (let task = this.#first(); task && task.due <= end && !isOver(); task = this.#first()) {
      this.#now = Math.max(this.#now, task.due);
      if (task.every === undefined) this.#tasks.delete(task);
      else task.due = this.#now + task.every;
      task.run();
      await this.#settle();
    }
  }

  [Symbol.dispose](): void {
    this.#restore();
  }

  /** Until all that runs without a timer has come to its end. */
  async #settle(): Promise<void> {
    do await new Promise<void>((resolve) => void this.#immediate(resolve));
    while (this.#immediates > 0);
  }

  #add(run: () => void, milliseconds: number, every: number | undefined): Task {
    const due = this.#now + Math.max(0, milliseconds);
    const task = { run, every, due, order: this.#order++, unref() {}, ref() {} };
    this.#tasks.add(task);
    return task;
  }

  #first(): Task | undefined {
    let first: Task | undefined;
    for (const task of this.#tasks) {
      const isEarlier =
        !first || task.due < first.due || (task.due === first.due && task.order < first.order);
      if (isEarlier) first = task;
    }
    return first;
  }
}
