// `node test/storms/kill-main.ts [kills] [seed] [seconds]`: runs the kill loop. Exits with 1 if a limit is exceeded.

import { killLoop } from "./kill-loop.ts";

const [kills = "500", seed = "1", seconds = "1800"] = process.argv.slice(2);
const report = await killLoop({
  poison: true,
  kills: Number(kills),
  seed: Number(seed),
  life: [200, 3_000],
  treesPerLife: 2,
  within: Number(seconds) * 1_000,
});
const perKill = report.asked / Math.max(1, report.kills);
console.log(JSON.stringify({ ...report, perKill }));
const isFine =
  perKill <= 0.3 &&
  report.repeated === 0 &&
  report.quarantined.join() === "poison" &&
  report.ended === report.runs - 1;
process.exit(isFine ? 0 : 1);
