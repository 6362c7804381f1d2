// Says which process continues a run after a command has recorded something for it.

import { hostname } from "node:os";
import type { CadreClient } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { driverCommands, noDriverText } from "./drivers.ts";
import { plainLine } from "./text/plain.ts";

/** Names the process that continues the run, or says what happens while no process drives. */
export async function nextDriverText(
  client: CadreClient,
  commandLine: CommandLine,
  later = "the run goes on at the next `cadre run`",
): Promise<string> {
  const [only, ...more] = (await client.get("/api/workers")).workers.filter(({ silent }) => !silent);
  if (!only) return nobodyGoesOn(await client.get("/api/health"), later, commandLine);
  if (more.length > 0) return `one of ${more.length + 1} workers goes on with it`;
  const where = only.host === hostname() ? "" : ` on ${plainLine(only.host)}`;
  return `process ${only.pid}${where} goes on with it`;
}

/** For a run that was paused or frozen: the driver finishes the current step and then stops. `later`: when it continues. */
export async function pauseEffectText(
  client: CadreClient,
  commandLine: CommandLine,
  later: string,
): Promise<string> {
  const drives = (await client.get("/api/workers")).workers.some(({ silent }) => !silent);
  if (!drives) return nobodyGoesOn(await client.get("/api/health"), later, commandLine);
  return rewriteCommands(`what is under way ends, and ${later}`, commandLine);
}

function nobodyGoesOn(health: Health, later: string, commandLine: CommandLine): string {
  const nobody = noDriverText(health);
  const then = later.replace("`cadre run`", driverCommands(health));
  return `${nobody.charAt(0).toLowerCase()}${nobody.slice(1)}: ${rewriteCommands(then, commandLine)}`;
}
