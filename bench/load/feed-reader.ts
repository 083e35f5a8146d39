// Reads the feed of a service to its end in the pages that a relay reads, and prints how many events came in how many microseconds after the first page.
import { AnimalStore } from "../../client/animal-store.ts";

const [baseUrl = "", apiKey = ""] = Bun.argv.slice(2);
const store = new AnimalStore({ baseUrl, apiKey, cacheSize: 0 });
let events = 0;
let begun = { at: 0, cpu: 0 };
const used = () => process.cpuUsage().user + process.cpuUsage().system;
for await (const _ of store.events.list({ limit: 100 })) {
  if (events === 0) begun = { at: performance.now(), cpu: used() };
  events++;
}
const microseconds = (performance.now() - begun.at) * 1000;
console.log(JSON.stringify({ events, microseconds, cpu: used() - begun.cpu }));
// The bench reads the memory, and ends the program.
setInterval(() => {}, 60_000);
