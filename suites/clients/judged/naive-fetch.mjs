// A program that calls the store with fetch, as it is often written: it looks neither at headers nor at failures.
const base = process.env.ANIMAL_STORE_URL;
const headers = { Authorization: `Bearer ${process.env.API_KEY}`, "Content-Type": "application/json" };

async function call(path, init = {}) {
  const attempt = () => fetch(base + path, { ...init, headers });
  const response = await attempt().catch(attempt);
  return response.json();
}

const animals = [];
for (let page = 1; page <= 3; page++) animals.push(...(await call(`/pets?limit=100&page=${page}`)));
const max = animals.find(({ name }) => name === "Max");
const body = JSON.stringify({ name: "Max's twin", categoryId: max.categoryId });
await call("/pets", { method: "POST", body });
await call("/pets", { method: "POST", body: JSON.stringify({ name: "Rex", categoryId: 7 }) });
await call(`/pets/${max.id}`);
await call("/pets?limit=100&page=1");
