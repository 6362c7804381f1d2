import { createRequire } from "node:module";
import { it } from "vitest";

const require = createRequire(import.meta.url);

import { simulate } from "./simulate.ts";
import { expandTreeSeed } from "./tree-options.ts";

it("explore", { timeout: 0 }, async () => {
  const [from, to] = (process.env["RANGE"] ?? "1-40").split("-").map(Number) as [number, number];
  const found = new Map<string, string[]>();
  const totals = { events: 0, effects: 0, crashes: 0, runs: 0 };
  const cpu = process.cpuUsage();
  for (let seed = from; seed <= to; seed++) {
    const { problems, counts } = await simulate(expandTreeSeed(seed));
    for (const k of Object.keys(totals) as (keyof typeof totals)[]) totals[k] += counts[k];
    if (problems.length === 0) continue;
    require("node:fs").appendFileSync("/tmp/h7-found.log", `${seed}: ${problems[0]!.slice(0, 300)}\n`);
    const kind = problems[0]!.replace(/[rc][0-9a-z]{18,}/g, "ID").slice(0, 90);
    found.set(kind, [...(found.get(kind) ?? []), `${seed}: ${problems[0]!.slice(0, 400)}`]);
  }
  const used = process.cpuUsage(cpu);
  console.log(JSON.stringify(totals), "cpu ms", (used.user + used.system) / 1000 / (to - from + 1));
  for (const [kind, list] of found)
    console.log(`${list.length} x ${kind}\n    ${list.slice(0, 3).join("\n    ")}`);
});
