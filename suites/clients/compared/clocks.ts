import { freePort } from "../../../test/support/free-port.ts";
import { startSandbox } from "../../../test/support/sandbox.ts";
import { until } from "../../../test/support/until.ts";
import { Child } from "../../../verify/child.ts";
import { goProgram } from "../../go-program.ts";

/** A clock for tests, as its documentation uses it; times are seconds since 1970. It is gone with `await using`. */
export interface TestClock extends AsyncDisposable {
  /** Sets it, and returns the time that the response shows. */
  set(time: number): Promise<number>;
  read(): Promise<number>;
  /** Makes something, and returns when that was made by this clock. */
  make(): Promise<number>;
}

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);

/** The clocks, by the names that docs/comparison.md gives them. */
export const CLOCKS: Readonly<Record<string, () => Promise<TestClock>>> = {
  "Animal Store's sandbox": async () => {
    const sandbox = await startSandbox();
    const shown = async (response: Promise<Response>) =>
      secondsOf(((await (await response).json()) as { now: string }).now);
    return {
      set: (time) =>
        shown(sandbox.control("PUT", "/clock", { now: new Date(time * 1000).toISOString(), frozen: true })),
      read: () => shown(sandbox.control("GET", "/clock")),
      async make() {
        const headers = { "content-type": "application/json" };
        const order = await sandbox.call("/v1/orders", { method: "POST", headers, body: '{"petId":1}' });
        return secondsOf(((await order.json()) as { placedAt: string }).placedAt);
      },
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    };
  },

  // Stripe's own clocks are in its service, which needs an account; this is what Stripe offers for tests on a machine.
  "stripe-mock 0.203": async () => {
    const address = `127.0.0.1:${freePort()}`;
    const program = await goProgram("github.com/stripe/stripe-mock", "v0.203.0");
    const child = new Child([program, "-http-addr", address], { cwd: import.meta.dir, env: process.env });
    const ask = async (path: string, form?: Record<string, string>) => {
      const headers = { authorization: "Bearer sk_test_123" };
      const init = form ? { method: "POST", headers, body: new URLSearchParams(form) } : { headers };
      const response = await fetch(`http://${address}/v1${path}`, init);
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as { id: string; frozen_time: number; created: number };
    };
    await until(() =>
      fetch(`http://${address}/`).then(
        () => true,
        () => false,
      ),
    );
    const clocks = "/test_helpers/test_clocks";
    const { id } = await ask(clocks, { frozen_time: `${Math.floor(Date.now() / 1000)}` });
    return {
      set: async (time) => (await ask(`${clocks}/${id}/advance`, { frozen_time: `${time}` })).frozen_time,
      read: async () => (await ask(`${clocks}/${id}`)).frozen_time,
      make: async () => (await ask("/customers", { test_clock: id })).created,
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  },
};

/** What is asked of each clock, by the heads of the columns. @param time that was never set before */
export const CLOCK_PROBES: Readonly<Record<string, (clock: TestClock, time: number) => Promise<boolean>>> = {
  "it is set": async (clock, time) => (await clock.set(time)) === time,
  "it shows that time when it is asked": async (clock, time) => {
    await clock.set(time);
    return (await clock.read()) === time;
  },
  "what is made then has that time": async (clock, time) => {
    await clock.set(time);
    return (await clock.make()) === time;
  },
};
