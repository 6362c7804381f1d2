// The entry point of the bundled `cadre`. It does what bin/cadre.js does on a recent Node.

import { start } from "../../src/cli/main.ts";

void start();
