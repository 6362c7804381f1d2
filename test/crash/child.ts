// One life as a process of its own, which it can be killed with: `node child.ts <scenario> <folder> <kill at>`. Ends with 0
// when the root has ended.

import { live } from "./life.ts";
import type { ScenarioName } from "./scenario.ts";

const [name, folder, killAt] = process.argv.slice(2);

void live(name as ScenarioName, folder!, Number(killAt));
