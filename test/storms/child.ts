// Plays a scenario of the crash suite in a storm: `node child.ts <storm> <seed> <scenario> <folder>`. Exits with 0 when the scenario has ended.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { live } from "../crash/life.ts";
import type { ScenarioName } from "../crash/scenario.ts";
import { seededRandom } from "../simulation/random.ts";
import { STORMS } from "./weather.ts";

const [name, seed, scenario, folder = ""] = process.argv.slice(2);
const storm = STORMS.find((each) => each.name === name)!;
const random = seededRandom(Number(seed));
let faults = 0;
const count = (): void => writeFileSync(join(folder, "faults.count"), String(++faults));

storm.begin?.(random, count);
await live(scenario as ScenarioName, folder, 0, (answer) => storm.model?.(answer, random, count) ?? answer);
process.exit(0);
