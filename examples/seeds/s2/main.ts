// `node examples/seeds/s2/main.ts`: the system of document S2.

import { start } from "../start.ts";

await start(import.meta.dirname);
