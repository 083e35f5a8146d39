import type { Patch } from "../../test/support/patch.ts";

/** Faults that lose what a recipe adds in one place, which nothing but the contract's cases can notice. */
export const LOSSES: Readonly<Record<string, readonly Patch[]>> = {
  "add-a-member": [
    {
      file: "src/operations/create-pet.ts",
      from: "added.replayed : added",
      to: "{ ...added.replayed, color: undefined } : added",
    },
    {
      file: "src/operations/event-representation.ts",
      from: "animal: event.animal }",
      to: "animal: { ...event.animal, color: undefined } }",
    },
    {
      file: "src/operations/order-representation.ts",
      from: "{ ...order, pet };",
      to: "{ ...order, pet: { ...pet, color: undefined } };",
    },
    {
      file: "src/operations/list-orders.ts",
      from: "items.map(representOrder)",
      to: "items.map(({ pet, ...order }) => representOrder(pet ? { ...order, pet: { ...pet, color: undefined } } : order))",
    },
  ],
  "add-a-filter-of-a-list": [
    {
      file: "src/operations/list-pets.ts",
      from: "queryOf({ categoryId })",
      to: "queryOf({ categoryId: categoryId && 1n })",
    },
    {
      file: "src/stores/sqlite/animals.ts",
      from: "boundOf(sort, after), limit + 1)",
      to: "boundOf(sort, after), query.categoryId === undefined ? limit + 1 : 1)",
    },
  ],
  "add-a-member-of-an-order": [
    {
      file: "src/operations/event-representation.ts",
      from: "order: representOrder(event.order) }",
      to: "order: representOrder({ ...event.order, note: undefined }) }",
    },
  ],
};
