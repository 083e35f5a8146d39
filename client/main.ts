/**
 * `@animal-store/client`: a client for Animal Store services, for Node, Bun, Deno and browsers.
 *
 * @module
 */

export * from "./animal-store.ts";
export type {
  Animal,
  AnimalInput,
  CallerKey,
  ErrorCode,
  EventType,
  ListEventsQuery,
  ListOrdersQuery,
  ListPetsQuery,
  Order,
  OrderStatus,
  Status,
} from "./contract.ts";
export type { DeprecationNotice } from "./deprecation.ts";
export {
  AnimalStoreError,
  ConnectionError,
  DeadlineExceededError,
  ServiceError,
  UnexpectedResponseError,
} from "./errors.ts";
export * from "./errors-by-code.ts";
export type { EventStream } from "./event-stream.ts";
export type { Events, StoreEvent, StreamEventsQuery } from "./events.ts";
export type { Key } from "./key.ts";
export type { List, Page } from "./list.ts";
export type {
  AnimalStoreOptions,
  CallOptions,
  CreateOptions,
  RequestNotice,
  ResponseNotice,
  RetryNotice,
  StreamOptions,
} from "./options.ts";
export type { GetOrderOptions, Orders, OrderWithPet, UpdateOptions } from "./orders.ts";
export type { PendingCall, ResponseInfo } from "./pending-call.ts";
export type { Pets } from "./pets.ts";
