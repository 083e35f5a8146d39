/** Clients that do the same again and again, until they are told to stop or one of them fails. */
export interface Busy extends Disposable {
  /** Resolves when this holds; rejects when a client fails before. */
  until(holds: () => boolean): Promise<void>;
  /** Lets each finish what it does; rejects when one has failed. */
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
