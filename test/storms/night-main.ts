// `npm run night [trees] [seconds away]`: a night of 200 trees with two outages of the provider of 20 minutes each, and three kills.
// Prints the report. Exits with 1 if anything but the approval is open, or if a command was repeated.

import { type NightReport, night } from "./night.ts";

const [trees = "200", awaySeconds = "1200"] = process.argv.slice(2);
const awayMs = Number(awaySeconds) * 1_000;
const report = await night({
  trees: Number(trees),
  awayMs,
  killsAt: [0.15, 0.5, 0.8],
  outagesAt: [0.3, 0.65],
  within: 4 * awayMs + 3_600_000,
});
console.log(JSON.stringify(report, null, 2));
process.exit(isGood(report) ? 0 : 1);

function isGood({ roots, open, missing, repeated }: NightReport): boolean {
  const allButOne = roots["completed"] === Number(trees) - 1;
  return allButOne && open.length === 1 && missing.length === 0 && repeated.length === 0;
}
