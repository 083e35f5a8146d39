import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createCall } from "../calls.ts";
import { spawn } from "../child.ts";
import { startDelayProxy } from "../load/delay-proxy.ts";
import { HERE, PROGRAM } from "../program.ts";
import type { Section } from "../report/section.ts";
import { accounted } from "../server.ts";
import { cpuOf, type Kind, type RunningSide } from "../side.ts";
import { animalStore } from "../sides/animal-store.ts";
import { quotients, spread } from "../spread.ts";
import type { Experiment } from "./experiment.ts";
import { inRounds } from "./turns.ts";

const ANIMALS = 1000;
/** Events to read and to deliver for each second that a side is to be measured: about what one delivery at a time makes. */
const EVENTS_A_SECOND = 2500;
/** How many creates are on their way at once while the events are made. */
const CREATES = 64;
const RUNTIME = join(HERE, "bin/runtime");

interface Sample {
  /** Events a second, from the first to the last. */
  readonly rate: number;
  /** Microseconds of CPU that an event costs who reads or posts it, without its start. */
  readonly cpu: number;
  /** Microseconds of CPU that an event costs the service. */
  readonly serviceCpu?: number;
  readonly megabytes: number;
}

interface Surroundings {
  readonly service: RunningSide;
  readonly receiver: Receiver;
  /** Where the receiver is posted to. */
  readonly to: string;
  readonly events: number;
  readonly folder: string;
}

interface Contestant {
  readonly name: string;
  readonly kind: Kind;
  measure(surroundings: Surroundings): Promise<Sample>;
}

function keyOf({ headers }: RunningSide): string {
  return headers.authorization?.split(" ")[1] as string;
}

const FEED: Contestant = {
  name: "the feed, read as pages of 100",
  kind: "ours",
  async measure({ service, events }) {
    const before = cpuOf(service);
    const reader = join(HERE, "bench/load/feed-reader.ts");
    await using child = spawn([RUNTIME, reader, `${service.address}/v1`, keyOf(service)]);
    const [line = ""] = await child.says(/\{.*\}/);
    const result: { events: number; microseconds: number; cpu: number } = JSON.parse(line);
    if (result.events !== events) throw new Error(`the feed had ${result.events} of ${events} events`);
    return {
      rate: events / (result.microseconds / 1e6),
      cpu: result.cpu / events,
      serviceCpu: (cpuOf(service) - before) / events,
      megabytes: accounted(child.pid).residentMegabytes(),
    };
  },
};

const BARE: Contestant = {
  name: "fetch alone, the same request again and again",
  kind: "peer",
  async measure({ receiver, to, events }) {
    const { headers, body } = receiver.seen;
    const poster = join(HERE, "bench/load/bare-poster.ts");
    return await measured(receiver, events, () =>
      spawn([RUNTIME, poster, to, `${events}`, JSON.stringify(headers), body]),
    );
  },
};

/** @param atOnce deliveries in progress at once */
function relay(atOnce: number): Contestant {
  return {
    name: atOnce === 1 ? "the relay" : `the relay, --at-once ${atOnce}`,
    kind: "ours",
    async measure({ service, receiver, to, events, folder }) {
      const own = join(folder, `${Bun.nanoseconds()}`);
      mkdirSync(own);
      writeFileSync(join(own, "secret"), `whsec_${Buffer.alloc(32, "bench").toString("base64")}\n`);
      const command = [PROGRAM, "relay", "--from", `${service.address}/v1`, "--to", to];
      const options = ["--secret-file=secret", "--position=position.json", "--allow-private"];
      const before = cpuOf(service);
      const sample = await measured(receiver, events, () =>
        spawn([...command, ...options, `--at-once=${atOnce}`], {
          cwd: own,
          env: { API_KEY: keyOf(service) },
        }),
      );
      return { ...sample, serviceCpu: (cpuOf(service) - before) / events };
    },
  };
}

const CONTESTANTS = [FEED, relay(1), relay(8), relay(100), BARE] as const;

/** Receives deliveries, reads each to its end, and does nothing else. */
class Receiver implements AsyncDisposable {
  #onDelivery = () => {};
  #seen: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | undefined;
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      this.#seen ??= { headers: Object.fromEntries(request.headers), body };
      this.#onDelivery();
      return new Response(null, { status: 204 });
    },
  });

  readonly address = `http://127.0.0.1:${this.#server.port}`;

  /** A delivery of a relay. */
  get seen() {
    if (!this.#seen) throw new Error("nothing was delivered yet");
    const { host: _, "content-length": __, connection: ___, ...headers } = this.#seen.headers;
    return { headers, body: this.#seen.body };
  }

  /** Calls `first` at the next delivery, and resolves at the last of so many. */
  async take(count: number, first: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let taken = 0;
    this.#onDelivery = () => {
      if (taken++ === 0) first();
      if (taken === count) resolve();
    };
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

/** Starts a program that posts so many deliveries, and measures it from the first to the last. */
async function measured(
  receiver: Receiver,
  events: number,
  start: () => ReturnType<typeof spawn>,
): Promise<Sample> {
  let [at, cpu] = [0, 0];
  await using child = start();
  const { cpuMicroseconds, residentMegabytes } = accounted(child.pid);
  const ended = child.exited.then((code) => {
    throw new Error(`the program that posts ended with exit code ${code}`);
  });
  ended.catch(() => {});
  const taken = receiver.take(events, () => {
    [at, cpu] = [performance.now(), cpuMicroseconds()];
  });
  await Promise.race([taken, ended]);
  const seconds = (performance.now() - at) / 1000;
  return {
    rate: events / seconds,
    cpu: (cpuMicroseconds() - cpu) / events,
    megabytes: residentMegabytes(),
  };
}

/** What it takes to deliver the feed, compared with reading it, and with posts that nobody signs, orders or notes. */
export const deliveries: Experiment = {
  name: "deliveries",
  about: "deliveries of a relay to a fast receiver, compared with reading the feed",
  async run({ seconds, rounds, delay, folder, shared, versions, log }): Promise<Section> {
    if (versions) throw new Error("this compares a relay with the feed; it takes no --against");
    const ofService = join(folder, "service");
    mkdirSync(ofService);
    const side = animalStore({ settings: { STABILITY: "experimental" } });
    await using service = await side.start({ folder: ofService, animals: ANIMALS, shared });
    const events = Math.ceil(seconds * Math.min(EVENTS_A_SECOND, delay > 0 ? 1000 / delay : Infinity));
    await makeEvents(service, events);
    await using stack = new AsyncDisposableStack();
    const receiver = stack.use(new Receiver());
    const proxy = delay > 0 ? await startDelayProxy(receiver.address, delay) : undefined;
    if (proxy) stack.use(proxy.process);
    const to = `${proxy?.address ?? receiver.address}/hooks`;
    // The first round has the relay before the bare posts, which repeat what it has sent.
    const samples = await inRounds<Contestant, Sample>(CONTESTANTS, { rounds, seconds }, async (each) => {
      const sample = await each.measure({ service, receiver, to, events, folder });
      log(`deliveries: ${each.name} ${Math.round(sample.rate)}/s, ${sample.cpu.toFixed(1)} µs each`);
      return sample;
    });
    const of = (each: Contestant, figure: "rate" | "cpu" | "megabytes") =>
      (samples.get(each) ?? []).map((sample) => sample[figure]);
    return {
      name: "deliveries",
      title: `${events} events to a fast receiver${delay > 0 ? `, ${delay} ms away` : ""}, compared with the feed itself`,
      notes: [
        "Service, relay and receiver share the machine. The receiver is the bench: it reads each body, answers 204 and does no more.",
        "Rates and CPU are from the first event to the last. CPU is that of the program in the row, and that of the service for it.",
      ],
      columns: [
        { key: "rate", label: "events/s", digits: 0 },
        { key: "rateRatio", label: "events/s, to the feed's", digits: 2 },
        { key: "cpu", label: "CPU µs/event", digits: 1 },
        { key: "serviceCpu", label: "service: CPU µs/event", digits: 1 },
        { key: "megabytes", label: "MB", digits: 0 },
      ],
      rows: CONTESTANTS.map((each) => {
        const ofService = (samples.get(each) ?? []).flatMap(({ serviceCpu }) => serviceCpu ?? []);
        return {
          name: each.name,
          kind: each.kind,
          figures: {
            rate: spread(of(each, "rate")),
            ...(each !== FEED && { rateRatio: quotients(of(each, "rate"), of(FEED, "rate")) }),
            cpu: spread(of(each, "cpu")),
            ...(ofService.length > 0 && { serviceCpu: spread(ofService) }),
            megabytes: spread(of(each, "megabytes")),
          },
        };
      }),
      findings: [],
    };
  },
};

async function makeEvents({ address, headers }: RunningSide, count: number): Promise<void> {
  const { method, path, headers: own, body = "" } = createCall({ headers } as RunningSide);
  for (let made = 0; made < count; made += CREATES) {
    const some = Array.from({ length: Math.min(CREATES, count - made) }, () =>
      fetch(address + path, { method, headers: own, body }),
    );
    for (const response of await Promise.all(some))
      if (response.status !== 201) throw new Error(`POST ${path}: ${response.status}`);
  }
}
