import { Client } from "../../contract/client.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/folder.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";

/** Services on one store, each of which can be killed and is then started again. */
export class Fleet implements AsyncDisposable {
  readonly #folders: readonly TemporaryFolder[];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #services: ServiceProcess[] = [];
  /** The first key of the store. */
  readonly key: string;

  private constructor(
    folders: readonly TemporaryFolder[],
    settings: Readonly<Record<string, string>>,
    first: ServiceProcess,
  ) {
    this.#folders = folders;
    this.#settings = settings;
    this.#services.push(first);
    this.key = first.key;
  }

  /** @param settings of all of them */
  static async start(count: number, settings: Readonly<Record<string, string>>): Promise<Fleet> {
    const folders = Array.from({ length: count }, temporaryFolder);
    const [first] = folders as [TemporaryFolder];
    const fleet = new Fleet(folders, settings, await serve({ cwd: first.path, env: { ...settings } }));
    try {
      for (let at = 1; at < count; at++) fleet.#services.push(await fleet.#serve(at));
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
    return fleet;
  }

  get size(): number {
    return this.#services.length;
  }

  /** The folder of the first. */
  get folder(): string {
    return (this.#folders[0] as TemporaryFolder).path;
  }

  /** A client of one of them, where it listens now. */
  client(at: number): Client {
    return new Client(`${this.#service(at).address}/v1`, this.key);
  }

  /** Kills one with all of its processes, in the middle of what it does, and starts it again. */
  async kill(at: number): Promise<void> {
    const service = this.#service(at);
    service.kill("SIGKILL");
    await service.exited;
    this.#services[at] = await this.#serve(at);
  }

  #service(at: number): ServiceProcess {
    return this.#services[at % this.#services.length] as ServiceProcess;
  }

  #serve(at: number): Promise<ServiceProcess> {
    return serve({ cwd: (this.#folders[at] as TemporaryFolder).path, env: { ...this.#settings } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#services.map((service) => service[Symbol.asyncDispose]()));
    for (const folder of this.#folders) folder[Symbol.dispose]();
  }
}
