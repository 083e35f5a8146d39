/** Clients that repeat a call until the test stops them or one of them fails. */
export interface Busy extends Disposable {
  /** Resolves when a condition holds; rejects when a client fails first. */
  until(holds: () => boolean): Promise<void>;
  /** Waits until each client has finished its call; rejects when one has failed. */
  stop(): Promise<void>;
}

export function keepDoing(clients: number, act: (client: number, time: number) => Promise<void>): Busy {
  let going = true;
  const all = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let time = 0; going; time++) await act(client, time);
    }),
  );
  all.catch(() => {
    going = false;
  });
  const stop = async () => {
    going = false;
    await all;
  };
  return {
    async until(holds) {
      while (!holds()) await (going ? Bun.sleep(2) : stop());
    },
    stop,
    [Symbol.dispose]() {
      going = false;
    },
  };
}
