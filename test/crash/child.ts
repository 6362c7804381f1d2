// Plays a scenario in a process of its own, so that SIGKILL can end it: `node child.ts <scenario> <folder> <kill at>`.
// Exits with 0 when the root run has ended.

import { live } from "./life.ts";
import type { ScenarioName } from "./scenario.ts";

const [name, folder, killAt] = process.argv.slice(2);

void live(name as ScenarioName, folder!, Number(killAt));
