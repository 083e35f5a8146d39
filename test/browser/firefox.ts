import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { until } from "../../test/support/until.ts";

/** What a command of WebDriver BiDi returns, as far as it is used here. */
interface Reply {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly message?: string;
}

/** A tab of Firefox, closed with `await using`. Expressions are JavaScript, and their values JSON. */
export interface FirefoxTab extends AsyncDisposable {
  goto(address: string): Promise<void>;
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until an expression holds in the page. */
  sees(expression: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Presses keys one after the other, and lets them go in reverse: as WebDriver names them, `KEYS` for those without a sign. */
  press(...keys: readonly string[]): Promise<void>;
}

/** What WebDriver calls keys that write nothing. */
export const KEYS = { control: "\uE009", down: "\uE015", enter: "\uE007", escape: "\uE00C" } as const;

/**
 * The Firefox that Debian brings, by WebDriver BiDi (W3C); `await using` ends it. playwright-core has a driver for it that
 * sends commands which this Firefox does not know.
 */
export class Firefox implements AsyncDisposable {
  readonly #process: Bun.Subprocess;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #sent = 0;

  private constructor(
    process: Bun.Subprocess,
    folder: ReturnType<typeof temporaryFolder>,
    socket: WebSocket,
  ) {
    this.#process = process;
    this.#folder = folder;
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id = 0, result, message } = JSON.parse(String(data)) as Reply;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (result) waiting?.resolve(result);
      else waiting?.reject(new Error(`Firefox says: ${message}`));
    };
  }

  static async start(): Promise<Firefox> {
    const folder = temporaryFolder();
    const program = requiredProgram("firefox-esr");
    const own = { HOME: folder.path, TMPDIR: folder.path };
    const child = Bun.spawn(
      [program, "--headless", "--no-remote", "--profile", folder.path, "--remote-debugging-port", "0"],
      {
        cwd: folder.path,
        env: { ...process.env, ...own },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      },
    );
    try {
      // Firefox writes where it listens once it does.
      const file = Bun.file(join(folder.path, "WebDriverBiDiServer.json"));
      let listens: { readonly ws_host: string; readonly ws_port: number } | undefined;
      await until(async () => {
        listens = await file.json().catch(() => undefined);
        return listens;
      });
      const socket = new WebSocket(`ws://${listens?.ws_host}:${listens?.ws_port}/session`);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      const firefox = new Firefox(child, folder, socket);
      await firefox.#send("session.new", { capabilities: {} });
      return firefox;
    } catch (error) {
      child.kill();
      await child.exited;
      folder[Symbol.dispose]();
      throw error;
    }
  }

  async open(): Promise<FirefoxTab> {
    const { context } = await this.#send("browsingContext.create", { type: "tab" });
    const evaluate = async <Value>(expression: string): Promise<Value> => {
      const { result, exceptionDetails } = (await this.#send("script.evaluate", {
        // What a page returns travels as JSON: BiDi's own form of values is another.
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? "null")`,
        target: { context },
        awaitPromise: true,
      })) as { result?: { value: string }; exceptionDetails?: { text: string } };
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return JSON.parse(result?.value ?? "null") as Value;
    };
    return {
      goto: async (url) =>
        void (await this.#send("browsingContext.navigate", { context, url, wait: "complete" })),
      evaluate,
      sees: async (expression) => {
        await until(() => evaluate<boolean>(`Boolean(${expression})`));
      },
      resize: async (width, height) =>
        void (await this.#send("browsingContext.setViewport", { context, viewport: { width, height } })),
      press: async (...keys) => {
        const downs = keys.map((value) => ({ type: "keyDown", value }));
        const ups = keys.toReversed().map((value) => ({ type: "keyUp", value }));
        const actions = [{ type: "key", id: "keyboard", actions: [...downs, ...ups] }];
        await this.#send("input.performActions", { context, actions });
      },
      [Symbol.asyncDispose]: async () => void (await this.#send("browsingContext.close", { context })),
    };
  }

  #send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#sent;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return waiting.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    this.#process.kill();
    await this.#process.exited;
    this.#folder[Symbol.dispose]();
  }
}
