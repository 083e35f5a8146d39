import { onEveryEngine } from "../support/engines.ts";
import { httpContract } from "./contract/suite.ts";

onEveryEngine(httpContract);
