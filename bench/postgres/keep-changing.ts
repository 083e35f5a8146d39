import { SQL } from "bun";

export const CHANGES_A_SECOND = 100;

/** Changes statuses as another program would, each in its own transaction, of animals with ids from 1 to a number. */
export function keepChanging(url: string, animals: number): { stop(): Promise<void> } {
  const changer = new SQL({ url, max: 1 });
  let changing = true;
  const done = (async () => {
    while (changing) {
      await changer`UPDATE animal_store.animal SET status = CASE status WHEN 'sold' THEN 'pending' ELSE 'sold' END
                     WHERE id = ${1 + Math.floor(Math.random() * animals)}`;
      await Bun.sleep(1000 / CHANGES_A_SECOND);
    }
    await changer.close();
  })();
  return {
    stop() {
      changing = false;
      return done;
    },
  };
}
