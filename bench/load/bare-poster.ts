// Posts a body again and again, each after the response to the one before: what `fetch` alone makes of deliveries.
const [url = "", count = "", headers = "", body = ""] = Bun.argv.slice(2);
for (let posted = 0; posted < Number(count); posted++) {
  const response = await fetch(url, { method: "POST", headers: JSON.parse(headers), body });
  await response.arrayBuffer();
}
// The bench reads the memory, and ends the program.
setInterval(() => {}, 60_000);
