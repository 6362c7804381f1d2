// Prints which tests cannot run on this machine, at the start and at the end of `npm test`.

import { findRestate } from "../src/engines/restate/binary.fixture.ts";
import { findPostgres } from "../src/stores/postgres/binaries.fixture.ts";
import { DRIVERS, trySandbox } from "../src/tools/sandbox/find-sandbox.ts";
import { hasHaproxy } from "./fleet/balancer.ts";
import { findRealAgent, REAL_AGENTS } from "./support/real-agents.ts";

export async function setup(): Promise<() => void> {
  const lines: string[] = [];
  for (const { name } of DRIVERS) {
    const tried = await trySandbox(name);
    if ("problem" in tried) lines.push(`NOT TESTED: attacks inside the sandbox ${name} (${tried.problem}).`);
  }
  const postgres = findPostgres();
  if ("problem" in postgres) lines.push(`NOT TESTED: the store on Postgres (${postgres.problem}).`);
  if (!findRestate())
    lines.push("NOT TESTED: the engine on Restate (no package contains Restate for this platform).");
  if (!hasHaproxy())
    lines.push(
      "NOT TESTED: the fleet behind HAProxy, which is not installed. The tests used a balancer of their own.",
    );
  const absent = REAL_AGENTS.filter((agent) => !findRealAgent(agent)).map(({ name }) => name);
  if (absent.length > 0)
    lines.push(
      `NOT TESTED: ${absent.join(", ")} as runners (not in the folder that CADRE_REAL_AGENTS names).`,
    );
  const say = () => {
    for (const line of lines) console.warn(`\n${line}`);
  };
  say();
  return say;
}
