/** The animals in a store before a run: ids from 1, the same on every side. */

interface Animal {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const NAMES = ["Rex", "Mia", "Bruno the Second", "Zoë", "Captain Whiskers", "Лайка", "Old Speckled Hen"];
export const STATUSES = ["available", "pending", "sold"] as const;
const CATEGORIES = 40;

export function animal(id: number): Animal {
  return {
    id,
    name: `${NAMES[id % NAMES.length]} ${id}`,
    categoryId: id % CATEGORIES,
    status: STATUSES[id % STATUSES.length] as string,
  };
}

/** The same in SQL (name, category, status) from a column `id`, for SQLite and PostgreSQL. */
export const ANIMAL_COLUMNS = [`${choice(NAMES)} || ' ' || id`, `id % ${CATEGORIES}`, choice(STATUSES)].join(
  ", ",
);

function choice(texts: readonly string[]): string {
  const cases = texts.map((text, index) => `WHEN ${index} THEN '${text}'`);
  return `CASE id % ${texts.length} ${cases.join(" ")} END`;
}
