// Plays a scenario in a separate process, so that SIGKILL can end it: `node child.ts <scenario> <folder> <kill at>`.
// The process exits with 0 when the root run has ended.

import { live } from "./life.ts";
import type { ScenarioName } from "./scenario.ts";

const [name, folder, killAt] = process.argv.slice(2);

void live(name as ScenarioName, folder!, killAt!.includes("#") ? killAt! : Number(killAt));
