// `node examples/seeds/s4/main.ts`: the system of document S4.

import { start } from "../start.ts";

await start(import.meta.dirname);
