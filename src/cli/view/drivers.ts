// Sentences about which process drives runs. A SQLite store has one process, and the next command that drives takes over. On
// Postgres workers drive, and there may be processes that do not.

import type { Health } from "../../api/client/types.ts";
import { plural } from "../../projections/words/format.ts";
import type { CommandLine } from "../command-line.ts";
import { plainLine } from "./text/plain.ts";

type Store = Pick<Health, "isShared">;

/** Beginning of a sentence that says that no process drives. */
export const noDriverText = ({ isShared }: Store): string =>
  isShared ? "Nobody drives runs here" : "No Cadre process is running here";

/** The commands that start driving. */
export const driverCommands = ({ isShared }: Store): string =>
  isShared ? "`cadre worker` or `cadre up`" : "`cadre run`";

/** Says how many runs wait for a driver; empty if none does. */
export const dueText = ({ due = 0 }: Pick<Health, "due">): string =>
  due === 0 ? "" : `, and ${plural(due, "run")} ${due === 1 ? "waits" : "wait"} for it`;

/** One line per problem; none if every waiting run has a driver. */
export function noDriverLines({ drives, due, idlePools = [] }: Health, commandLine: CommandLine): string[] {
  if (!drives)
    return [
      `Nobody drives runs here${dueText({ due })}: start \`${commandLine("worker")}\`, \`${commandLine("up")}\` or \`${commandLine("run")}\`.`,
    ];
  return idlePools.map(({ pool, due }) => {
    const name = plainLine(pool);
    return `Nobody drives runs of the pool ${name}${dueText({ due })}: start \`${commandLine(`worker --pool ${name}`)}\` where their files are.`;
  });
}
