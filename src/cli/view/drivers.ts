// What is said where nobody drives. A file has one process, and the next command that drives takes it; on a server workers
// drive, and processes that do not may be there all the same.

import type { Health } from "../../api/client/types.ts";
import type { CommandLine } from "../command-line.ts";
import { count } from "./format.ts";
import { plainLine } from "./text/plain.ts";

type Store = Pick<Health, "isShared">;

/** The beginning of a sentence. */
export const noDriverText = ({ isShared }: Store): string =>
  isShared ? "Nobody drives runs here" : "No Cadre process is running here";

/** What drives as soon as it is started. */
export const driverCommands = ({ isShared }: Store): string =>
  isShared ? "`cadre worker` or `cadre up`" : "`cadre run`";

/** How many runs wait for it; nothing where none does. */
export const dueText = ({ due = 0 }: Pick<Health, "due">): string =>
  due === 0 ? "" : `, and ${count(due, "run")} ${due === 1 ? "waits" : "wait"} for it`;

/** A line each; none where everything that waits has somebody. */
export function noDriverLines({ drives, due, idlePools = [] }: Health, typed: CommandLine): string[] {
  if (!drives)
    return [
      `Nobody drives runs here${dueText({ due })}: start \`${typed("worker")}\`, \`${typed("up")}\` or \`${typed("run")}\`.`,
    ];
  return idlePools.map(({ pool, due }) => {
    const name = plainLine(pool);
    return `Nobody drives runs of the pool ${name}${dueText({ due })}: start \`${typed(`worker --pool ${name}`)}\` where their files are.`;
  });
}
