export * from "./sandbox.cjs";
