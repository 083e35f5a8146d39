export { startSandbox, withSandbox } from "./sandbox.cjs";
