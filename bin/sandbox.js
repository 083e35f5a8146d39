export { startSandbox } from "./sandbox.cjs";
