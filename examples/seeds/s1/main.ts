// `node examples/seeds/s1/main.ts`: the system of document S1, seven agent types that spawn each other.

import { start } from "../start.ts";

await start(import.meta.dirname);
