// Sentences about which process drives runs. A SQLite store has one owner at a time; after it exits, the next command can become the owner.
// On Postgres, workers drive runs. Other processes often only read the store and record decisions.

import { hostname } from "node:os";
import type { CadreClient } from "../../api/client/client.ts";
import type { Health } from "../../api/client/types.ts";
import { plural } from "../../projections/words/format.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import { continueInBackground } from "../connection/background.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { plainLine } from "./text/plain.ts";

type Store = Pick<Health, "isShared">;

/** Says that no process drives runs. The text starts in lower case, because it is used inside sentences. */
export const noDriverText = ({ isShared }: Store): string =>
  isShared ? "no process drives runs here" : "no Cadre process is running here";

interface Recorded {
  value: object;
  text: string;
  later?: Later;
  /** If true and no process drives runs, Cadre starts a process in the background that continues this run. */
  starts?: boolean;
}

/** Prints what a command has recorded for a run, and which process continues the run. */
export async function reportRecorded(
  invocation: Invocation,
  client: CadreClient,
  { value, text, later = continuesText, starts = false }: Recorded,
): Promise<number> {
  const { json, commandLine } = invocation;
  if (starts && (await mayStartDriver(client))) {
    continueInBackground(invocation);
    return report(invocation, value, [
      `${text}; the run continues in the background, and \`${commandLine("runs")}\` shows its state.`,
    ]);
  }
  return report(
    invocation,
    value,
    json ? [] : [`${text}; ${await nextDriverText(client, commandLine, later)}.`],
  );
}

/** Starts a background process that continues the runs, if no process drives them. */
export async function continueIfIdle(invocation: Invocation): Promise<void> {
  if (await withClient(invocation, mayStartDriver)) continueInBackground(invocation);
}

/** False if a process drives runs, or if the store is on a server: there, workers drive runs. */
async function mayStartDriver(client: CadreClient): Promise<boolean> {
  const { workers } = await client.get("/api/workers");
  return workers.every(({ silent }) => silent) && !(await client.get("/api/health")).isShared;
}

/** Says what happens once a process drives runs again. `commands` are the commands that start such a process. */
type Later = (commands: string) => string;

const continuesText: Later = (commands) => `the run continues at the next ${commands}`;

/** Returns the commands that start a process that drives runs. */
export const driverCommands = ({ isShared }: Store): string =>
  isShared ? "`cadre worker` or `cadre up`" : "`cadre run`";

/** Says how many runs wait for a driver. Returns an empty text if no run waits. */
export const dueText = ({ due = 0 }: Pick<Health, "due">): string =>
  due === 0 ? "" : `, and ${plural(due, "run")} ${due === 1 ? "waits" : "wait"} for one`;

/** Reports runs that no process drives, one line per problem. Returns no lines if every waiting run has a driver. */
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

/** Names the process that continues a run. If no process drives runs, says which command would continue the run. */
export async function nextDriverText(
  client: CadreClient,
  commandLine: CommandLine,
  later = continuesText,
): Promise<string> {
  const [only, ...more] = (await client.get("/api/workers")).workers.filter(({ silent }) => !silent);
  if (!only) return noDriverUntil(await client.get("/api/health"), later, commandLine);
  if (more.length > 0) return `one of ${more.length + 1} workers continues it`;
  const where = only.host === hostname() ? "" : ` on ${plainLine(only.host)}`;
  return `process ${only.pid}${where} continues it`;
}

/** Says that the run is paused or frozen once its current step has ended. `until` says how long the run stays stopped. */
export async function pauseEffectText(
  client: CadreClient,
  commandLine: CommandLine,
  until: string,
): Promise<string> {
  const drives = (await client.get("/api/workers")).workers.some(({ silent }) => !silent);
  if (!drives) return noDriverUntil(await client.get("/api/health"), () => until, commandLine);
  return rewriteCommands(`the current step ends, and ${until}`, commandLine);
}

const noDriverUntil = (health: Health, later: Later, commandLine: CommandLine): string =>
  `${noDriverText(health)}: ${rewriteCommands(later(driverCommands(health)), commandLine)}`;
