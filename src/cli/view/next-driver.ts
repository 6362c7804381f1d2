// What a command says of the run that it has recorded something for: whoever drives it may be a process elsewhere.

import { hostname } from "node:os";
import type { CadreClient } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { driverCommands, noDriverText } from "./drivers.ts";
import { plainLine } from "./text/plain.ts";

/** Who takes a run further after a command has recorded something for it, or what is true while nobody does. */
export async function nextDriverText(
  client: CadreClient,
  typed: CommandLine,
  later = "the run goes on at the next `cadre run`",
): Promise<string> {
  const [only, ...more] = (await client.workers()).filter(({ silent }) => !silent);
  if (!only) return nobodyGoesOn(await client.health(), later, typed);
  if (more.length > 0) return `one of ${more.length + 1} workers goes on with it`;
  const where = only.host === hostname() ? "" : ` on ${plainLine(only.host)}`;
  return `process ${only.pid}${where} goes on with it`;
}

/** Of a run that is held until `later` says: whoever drives ends what is under way, and does not go on. */
export async function pauseEffectText(
  client: CadreClient,
  typed: CommandLine,
  later: string,
): Promise<string> {
  const drives = (await client.workers()).some(({ silent }) => !silent);
  if (!drives) return nobodyGoesOn(await client.health(), later, typed);
  return rewriteCommands(`what is under way ends, and ${later}`, typed);
}

function nobodyGoesOn(health: Health, later: string, typed: CommandLine): string {
  const nobody = noDriverText(health);
  const then = later.replace("`cadre run`", driverCommands(health));
  return `${nobody.charAt(0).toLowerCase()}${nobody.slice(1)}: ${rewriteCommands(then, typed)}`;
}
