interface Task {
  due: number;
  readonly order: number;
  readonly every: number | undefined;
  readonly run: () => void;
}

type Start = (run: () => void, milliseconds?: number) => unknown;

/** A clock that takes the place of the runtime's, and stands still unless it is told to go on. */
export class VirtualClock implements Disposable {
  #now = 1000;
  #order = 0;
  readonly #tasks = new Set<Task>();
  readonly #restore: () => void;

  /** Takes the place of the runtime's timers and clocks, until it is disposed of. */
  constructor() {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const [sleep, monotonic, wall] = [Bun.sleep, performance.now, Date.now];
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
    });
    Object.assign(Bun, { sleep: (milliseconds: number) => this.sleep(milliseconds) });
    performance.now = () => this.#now;
    Date.now = () => this.#now;
    this.#restore = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      Object.assign(Bun, { sleep });
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
    await settle();
    for (let task = this.#first(); task && task.due <= end && !isOver(); task = this.#first()) {
      this.#now = Math.max(this.#now, task.due);
      if (task.every === undefined) this.#tasks.delete(task);
      else task.due = this.#now + task.every;
      task.run();
      await settle();
    }
  }

  [Symbol.dispose](): void {
    this.#restore();
  }

  #add(run: () => void, milliseconds: number, every: number | undefined): Task {
    const task = { run, every, due: this.#now + Math.max(0, milliseconds), order: this.#order++ };
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

/** Until all that runs without a timer has come to its end: the code has up to two turns of the event loop for that. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
