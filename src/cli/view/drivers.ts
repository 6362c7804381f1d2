// Sentences about which process drives runs. A SQLite store has one process, and the next command that drives takes over. On
// Postgres workers drive, and there may be processes that do not.

import { hostname } from "node:os";
import type { CadreClient } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import { plural } from "../../projections/words/format.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { plainLine } from "./text/plain.ts";

type Store = Pick<Health, "isShared">;

/** Beginning of a sentence that says that no process drives. */
export const noDriverText = ({ isShared }: Store): string =>
  isShared ? "No process drives runs here" : "No Cadre process is running here";

/** The commands that start driving. */
export const driverCommands = ({ isShared }: Store): string =>
  isShared ? "`cadre worker` or `cadre up`" : "`cadre run`";

/** Says how many runs wait for a driver; empty if none does. */
export const dueText = ({ due = 0 }: Pick<Health, "due">): string =>
  due === 0 ? "" : `, and ${plural(due, "run")} ${due === 1 ? "waits" : "wait"} for one`;

/** One line per problem; none if every waiting run has a driver. */
export function noDriverLines({ drives, due, idlePools = [] }: Health, commandLine: CommandLine): string[] {
  if (!drives)
    return [
      `No process drives runs here${dueText({ due })}: start \`${commandLine("worker")}\`, \`${commandLine("up")}\` or \`${commandLine("run")}\`.`,
    ];
  return idlePools.map(({ pool, due }) => {
    const name = plainLine(pool);
    return `No worker drives runs of the pool ${name}${dueText({ due })}: start \`${commandLine(`worker --pool ${name}`)}\` where their files are.`;
  });
}

/** Names the process that continues a run after a command has recorded something for it, or says what happens while no process drives. */
export async function nextDriverText(
  client: CadreClient,
  commandLine: CommandLine,
  later = "the run continues at the next `cadre run`",
): Promise<string> {
  const [only, ...more] = (await client.get("/api/workers")).workers.filter(({ silent }) => !silent);
  if (!only) return noDriverUntil(await client.get("/api/health"), later, commandLine);
  if (more.length > 0) return `one of ${more.length + 1} workers continues it`;
  const where = only.host === hostname() ? "" : ` on ${plainLine(only.host)}`;
  return `process ${only.pid}${where} continues it`;
}

/** For a run that was paused or frozen: the driver finishes the current step and then stops. `later`: when it continues. */
export async function pauseEffectText(
  client: CadreClient,
  commandLine: CommandLine,
  later: string,
): Promise<string> {
  const drives = (await client.get("/api/workers")).workers.some(({ silent }) => !silent);
  if (!drives) return noDriverUntil(await client.get("/api/health"), later, commandLine);
  return rewriteCommands(`the current step ends, and ${later}`, commandLine);
}

function noDriverUntil(health: Health, later: string, commandLine: CommandLine): string {
  const nobody = noDriverText(health);
  const then = later.replace("`cadre run`", driverCommands(health));
  return `${nobody.charAt(0).toLowerCase()}${nobody.slice(1)}: ${rewriteCommands(then, commandLine)}`;
}
