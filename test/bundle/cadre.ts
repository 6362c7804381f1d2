// `cadre` as a bundle has it: what bin/cadre.js does on a Node that is new enough.

import { start } from "../../src/cli/main.ts";

void start();
