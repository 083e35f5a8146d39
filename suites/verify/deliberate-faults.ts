import type { Patch } from "../../test/support/patch.ts";

/** A failure of a program, and what finds it. */
interface DeliberateFault {
  readonly check: string;
  /** One, or several where the database would refuse what the program gets wrong. */
  readonly patch: Patch | readonly Patch[];
  /** What must be told of it: what was expected, or how a response contradicts itself. */
  readonly told: RegExp;
}

/** Takes from the database what keeps an animal in one order. */
const SEVERAL_ORDERS_AT_ONCE: readonly Patch[] = [
  {
    file: "src/stores/sqlite/migrations/0011-orders.sql",
    from: "CREATE UNIQUE INDEX one_open",
    to: "CREATE INDEX one_open",
  },
  {
    file: "src/stores/sqlite/migrations/0011-orders.sql",
    from: "AND EXISTS (SELECT 1 FROM store_order WHERE animal_id = NEW.animal_id AND status <> 'cancelled')",
    to: "AND 0",
  },
  {
    file: "src/stores/sqlite/migrations/0011-orders.sql",
    from: "WHEN EXISTS (\n        SELECT 1 FROM store_order WHERE animal_id = NEW.id",
    to: "WHEN 0 AND EXISTS (\n        SELECT 1 FROM store_order WHERE animal_id = NEW.id",
  },
];

/** Lets a part of the revision lag behind the store for a moment. */
function outdated(part: "append" | "rewrite"): Patch {
  return {
    file: "src/stores/sqlite/store.ts",
    from: "? revision.current()",
    to: `? (() => {
            const now = performance.now();
            const memory = globalThis as { kept?: { at: number; revision: Revision } };
            if (!memory.kept || now - memory.kept.at > 300)
              memory.kept = { at: now, revision: revision.current() };
            return { ...revision.current(), ${part}: memory.kept.revision.${part} };
          })()`,
  };
}

/** Changes each backup once it is made. @param statements run where it is attached to `database` as `copy` */
function changedBackup(statements: string): Patch {
  const made = 'database.query("VACUUM INTO ?").run(copy);';
  return {
    file: "src/stores/sqlite/backup/thread-main.ts",
    from: made,
    to: `${made}
        database.query("ATTACH ? AS copy").run(copy);
        ${statements}
        database.run("DETACH copy");`,
  };
}

/** What is broken in a copy of the program, by what it does. */
export const DELIBERATE_FAULTS: Readonly<Record<string, DeliberateFault>> = {
  "a create answered before it is committed": {
    check: "kill",
    patch: {
      file: "src/stores/sqlite/writer/store-writer.ts",
      from: "const reply = retryWhileBusy(() => work(store));",
      to: `const commit = () => store.database.inTransaction && store.database.run("RELEASE early");
        commit();
        store.database.run("SAVEPOINT early");
        setTimeout(commit, 5);
        const reply = work(store);`,
    },
    // Or a later answer contradicts an answer from before the kill.
    told: /acknowledged|was seen|^an order of all|after a crash|^order \d+|the first response again|^20[01]$/,
  },
  "a page kept for a moment though the stock has grown": {
    check: "model",
    patch: outdated("append"),
    // The last page of a list also shows what orders have done to its animals.
    told: /an order of all (?:operations|that happened)|^the animal \d+, which was acknowledged, in the list/,
  },
  "a page kept though it is the last of its list, and others have come": {
    check: "model",
    patch: {
      file: "src/operations/list-pets.ts",
      from: 'more && sort === "id" ? "rewrite" : "append"',
      to: '"rewrite"',
    },
    told: /an order of all |^the animal \d+, which was acknowledged, in the list/,
  },
  "a revoked key remembered": {
    check: "model",
    patch: {
      file: "src/stores/sqlite/store.ts",
      from: "? revision.current()",
      to: "? { ...revision.current(), keys: 0 }",
    },
    told: /^401 from when `keys revoke` has ended$/,
  },
  "an Idempotency-Key forgotten now and then": {
    check: "model",
    patch: {
      file: "src/operations/create-pet.ts",
      from: "store.addAnimal(body, idempotency,",
      to: "store.addAnimal(body, Math.random() < 0.9 ? idempotency : undefined,",
    },
    told: /^(?:the first response again|one animal of one create|422)/,
  },
  "an int64 that passes through a double": {
    check: "contract",
    patch: {
      file: "src/operations/create-pet.ts",
      from: "store.addAnimal(body, idempotency,",
      to: "store.addAnimal({ ...body, categoryId: BigInt.asIntN(64, BigInt(Number(body.categoryId))) }, idempotency,",
    },
    told: /"categoryId":(?:9223372036854775807|9007199254740993)/,
  },
  "a cursor that skips an animal": {
    check: "contract",
    patch: {
      file: "src/operations/list-pets.ts",
      from: "cursors.issue(BigInt(last.id), scope)",
      to: 'cursors.issue(BigInt(last.id) + (sort === "id" ? 1n : 0n), scope)',
    },
    told: /^the animals 1, 2, 3, 4, 5, 6, 7, 8, /,
  },
  "a backup that lacks an animal": {
    check: "backup",
    // An animal that has orders cannot be deleted.
    patch: changedBackup(`database.run(\`DELETE FROM copy.animal WHERE id = (SELECT max(id) FROM copy.animal
          WHERE id <= 50 AND id NOT IN (SELECT animal_id FROM copy.store_order))\`);`),
    // If the animal was ordered after the backup, its own history is what no order explains.
    told: /^the animal \d+, which was added before \d+$|^an order of all that happened to animal \d+,/,
  },
  "a backup that lacks an order": {
    check: "backup",
    // A store that lacks the trigger would be refused as such.
    patch: changedBackup(`
        const { sql } = database.query("SELECT sql FROM copy.sqlite_schema WHERE name = 'store_order_deletion_checked'").get();
        database.run("DROP TRIGGER copy.store_order_deletion_checked");
        database.run("DELETE FROM copy.store_order WHERE id = 5");
        database.run(sql.replace("CREATE TRIGGER ", "CREATE TRIGGER copy."));`),
    told: /^the order 5, which was added before \d+$/,
  },
  "an order, now and then, for an animal that is pending": {
    check: "model",
    patch: [
      {
        file: "src/stores/sqlite/writer/order-changes.ts",
        from: 'if (status !== "available") return',
        to: 'if (status === "sold" || (status === "pending" && Math.random() < 0.8)) return',
      },
      ...SEVERAL_ORDERS_AT_ONCE,
    ],
    // Or an order is shown with an animal whose status is that of the other order.
    told: /^animal \d+ in at most one order|^an order of all that happened to animal|^order \d+ .*, with the animal/,
  },
  "an animal that is sold twice": {
    check: "model",
    patch: [
      {
        file: "src/stores/sqlite/writer/order-changes.ts",
        from: 'if (status !== "available") return',
        to: 'if (status === "pending") return',
      },
      {
        file: "src/stores/sqlite/migrations/0011-orders.sql",
        from: "WHEN NEW.status IN ('placed', 'approved') AND (SELECT",
        to: "WHEN 0 AND (SELECT",
      },
      ...SEVERAL_ORDERS_AT_ONCE,
    ],
    // Or a cancelled second order has made the sold animal available again, or an order shows the status of the other.
    told: /^animal \d+ in at most one order|^an order of all that happened to animal|^animal \d+ sold, as order \d+|^order \d+ .*, with the animal/,
  },
  "a status kept for a moment though an order has changed it": {
    check: "model",
    patch: outdated("rewrite"),
    // Or the last comparison of all animals with their orders comes within the moment.
    told: /^an order of all|^animal \d+ \w+, as order \d+/,
  },
  "an order's Idempotency-Key forgotten now and then": {
    check: "model",
    patch: {
      file: "src/operations/place-order.ts",
      from: "store.placeOrder(order, idempotency,",
      to: "store.placeOrder(order, Math.random() < 0.8 ? idempotency : undefined,",
    },
    told: /^(?:the first response again|an order of |422|at most)/,
  },
  "an order that is delivered before it is approved": {
    check: "contract",
    patch: [
      {
        file: "src/domain/order.ts",
        from: 'placed: ["approved", "cancelled"]',
        to: 'placed: ["approved", "cancelled", "delivered"]',
      },
      {
        file: "src/stores/sqlite/migrations/0011-orders.sql",
        from: "('placed', 'approved'),",
        to: "('placed', 'approved'), ('placed', 'delivered'),",
      },
    ],
    told: /^409 invalid_transition$/,
  },
  "a cursor that goes with another animal's orders": {
    check: "contract",
    patch: {
      file: "src/operations/list-orders.ts",
      from: "const filter = queryOf({ status, petId, sort: inQuery(sort) });",
      to: "const filter = queryOf({ status, sort: inQuery(sort) });",
    },
    told: /^400 invalid_parameter$/,
  },
  "an acknowledged order that is not stored, now and then": {
    check: "kill",
    patch: {
      file: "src/stores/sqlite/writer/order-changes.ts",
      from: "BigInt(this.#insert.run(...valuesOf(PLACED, row)).lastInsertRowid)",
      to: "BigInt(Math.random() < 0.1 ? Date.now() : this.#insert.run(...valuesOf(PLACED, row)).lastInsertRowid)",
    },
    // It is missing when it is changed, in a page, or in the end; or its id is no order's.
    told: /^200$|which was (?:acknowledged|seen), in the list$|^order \d+|^an order of all|which was added before/,
  },
  "an Idempotency-Key that a crash forgets, and not its animal": {
    check: "kill",
    patch: {
      file: "src/stores/sqlite/cursor-secret.ts",
      from: "if (known) return known;",
      to: `if (known) {
        const latest = "(SELECT max(created_at) FROM idempotency_key)";
        database.run(\`DELETE FROM idempotency_key WHERE created_at >= \${latest} - 3\`);
        return known;
      }`,
    },
    told: /^(?:the first response again|the id \d+, as acknowledged|one animal of one create|422$)/,
  },
  "a cursor whose length is not looked at": {
    check: "fuzz",
    patch: {
      file: "src/domain/cursor.ts",
      from: "if (!CURSOR.test(cursor)) return undefined;",
      to: "",
    },
    told: /^a response that the contract allows/,
  },
};
