import type { Order } from "../../client/contract.ts";

type Later = Exclude<keyof Order, "id" | "petId" | "status" | "placedAt" | "updatedAt" | "pet">;

/** Shown and exported as they are, which is right for texts alone. */
const LATER: { readonly [Name in Later]-?: NonNullable<Order[Name]> extends string ? true : never } = {};

/** The texts that an order may have besides, in the order of files: those of `animal-store export`, so a new one comes last. */
export const ORDER_TEXTS: readonly Later[] = Object.keys(LATER) as never;
