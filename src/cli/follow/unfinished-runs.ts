// Finds the unfinished runs. A command prints them when it starts and when it exits.

import type { CadreClient } from "../../api/client/client.ts";
import type { RunSummary } from "../../api/client/types.ts";
import { plural } from "../../projections/words/format.ts";
import type { Connection } from "../connection/connect.ts";
import type { Invocation } from "../invocation.ts";
import { allRuns } from "../lookup/runs.ts";

/** Unfinished root runs, newest first. Descendants are left out, because they continue together with their root. */
export async function unfinishedRuns(client: CadreClient): Promise<RunSummary[]> {
  const runs = await Array.fromAsync(
    allRuns(client, { status: ["pending", "running", "waiting", "suspended"] }),
  );
  return runs.filter((run) => run.parentRunId === undefined);
}

/** Whether a run can continue without a person. A run that was answered while no process drove it can continue. */
const canContinue = ({ status, answered }: RunSummary): boolean =>
  status !== "suspended" || answered === true;

export function printResumed(left: readonly RunSummary[], { screen, json }: Invocation): void {
  const continued = left.filter(canContinue).length;
  if (json || continued === 0) return;
  const asking = left.length - continued;
  const more = asking === 0 ? "" : `; ${asking} more ${asking === 1 ? "waits" : "wait"} for a person`;
  screen.line(screen.paint("dim", `Continuing ${plural(continued, "unfinished run")}${more}`));
}

/** Prints how many runs the server continues. Waiting runs are included, because the server keeps running while runs wait for a person. */
export function printResumedByServer(
  left: readonly RunSummary[],
  { screen, json, commandLine }: Invocation,
): void {
  if (json || left.length === 0) return;
  const continued = plural(left.length, "unfinished run");
  screen.line(
    `Continuing ${continued}. Items that need you are in the inbox, and in \`${commandLine("run")}\`.`,
  );
}

export async function printRemaining(
  { client, isOwner }: Connection,
  { screen, json, commandLine }: Invocation,
): Promise<void> {
  if (!isOwner || json) return;
  const left = (await unfinishedRuns(client)).filter(canContinue).length;
  if (left === 0) return;
  const [what, them] = left === 1 ? ["1 other run is", "it"] : [`${left} other runs are`, "them"];
  screen.line(screen.paint("dim", `${what} unfinished: \`${commandLine("run")}\` continues ${them}`));
}
