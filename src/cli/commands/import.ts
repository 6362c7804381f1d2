// `cadre import FILE`: imports a tree that `cadre export --format cadre` moved out of another store.
// The command checks the whole file before it writes anything, and imports each tree only once.
// The owner of the store then continues the imported tree.

import { resolve } from "node:path";
import type { CadreClient } from "../../api/client/client.ts";
import type { ImportView, RunTree } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { plural } from "../../projections/words/format.ts";
import { describeWait } from "../../projections/words/waits.ts";
import type { CommandLine } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { refuseIgnoredSettings } from "../connection/ignored-settings.ts";
import { missingFolderText } from "../export/write-export.ts";
import { type Invocation, isAttended, report } from "../invocation.ts";
import { readGivenFile } from "../option-values.ts";
import { confirm } from "../terminal/keys.ts";
import { nextDriverText } from "../view/drivers.ts";
import { neededLines } from "../view/summary.ts";
import { allNodes } from "../view/text/branches.ts";
import { fitLines } from "../view/text/fit.ts";

export async function importRun(
  invocation: Invocation,
  path: string,
  { accept = false }: { accept?: boolean },
): Promise<number> {
  const { io, screen, commandLine } = invocation;
  const nothing = "Nothing was imported.";
  refuseIgnoredSettings(invocation, ["store"], nothing);
  const tree = readGivenFile(resolve(io.cwd, path), nothing);
  const read = async (client: CadreClient) => {
    const imported = await client
      .post("/api/import", { body: { tree, accept } })
      .catch(async (error: unknown) => {
        await confirmBrought(invocation, error);
        return client.post("/api/import", { body: { tree, accept: true } });
      });
    return { imported, next: await nextFor(client, imported, invocation) };
  };
  const { imported, next } = await withClient(invocation, read, { createsStore: true });
  if (invocation.json) return report(invocation, imported, []);
  const { runId, existed, runs, status, missing } = imported;
  const what = existed
    ? `${runId} was already imported; nothing was changed`
    : `Imported ${runId} (${plural(runs, "run")}, ${status})`;
  screen.line(
    status === undefined
      ? `${what}; it has since been deleted.`
      : `${what}${next.who}. See it: ${commandLine(`show ${runId}`)}`,
  );
  // The missing folder is printed before the approval commands: a run approved before the folder exists would fail.
  for (const place of missing) io.stderr.write(`cadre: ${missingFolderText(place, "here")}\n`);
  return report(invocation, imported, fitLines(next.needed, screen));
}

/** Shows what the file brings along, and asks the person to accept it. Throws if nobody accepts, or if the error is about something else. */
async function confirmBrought(invocation: Invocation, error: unknown): Promise<void> {
  const brings = error instanceof CadreError ? error.details?.["brings"] : undefined;
  if (!Array.isArray(brings)) throw error;
  const { io } = invocation;
  io.stderr.write(`The file brings this along:\n${brings.map((line) => `  ${String(line)}\n`).join("")}`);
  if (
    isAttended(invocation) &&
    (await confirm(invocation, "Do you know who made it, and accept all of this? [y/N] "))
  )
    return;
  throw new CadreError(
    "UNPROCESSABLE",
    "Nothing was imported. `cadre import --accept FILE` accepts it without a question.",
  );
}

interface Next {
  who: string;
  /** Lines that say what the person must do before the run can continue, such as answer an item or resume a run. */
  needed: string[];
}

async function nextFor(
  client: CadreClient,
  { runId, status }: ImportView,
  { screen, commandLine }: Invocation,
): Promise<Next> {
  if (status === undefined) return { who: "", needed: [] };
  const [tree, { approvals: open }] = await Promise.all([
    client.get("/api/runs/{id}/tree", { id: runId }),
    client.get("/api/approvals", { run: runId }),
  ]);
  if (tree.endedAt !== undefined) return { who: "", needed: [] };
  const paused = pausedLines(tree, commandLine);
  const until = [...(open.length === 0 ? [] : ["answered"]), ...(paused.length === 0 ? [] : ["resumed it"])];
  const once = until.length === 0 ? "" : ` once you have ${until.join(" and ")}`;
  return {
    who: `; ${await nextDriverText(client, commandLine)}${once}`,
    needed: [...neededLines(open, commandLine, screen), ...paused],
  };
}

/**
 * Lists the paused, frozen and quarantined runs of a tree, with the commands that let them continue.
 * A frozen branch is listed once, because one command thaws the whole branch.
 */
function pausedLines(tree: RunTree, commandLine: CommandLine): string[] {
  const lines = new Map<string, string>();
  for (const { id, endedAt, waitingOn } of allNodes(tree)) {
    if (endedAt !== undefined || !waitingOn || !PAUSED.has(waitingOn.kind)) continue;
    const [top] = waitingOn.frozen ?? [];
    const command = top === undefined ? `resume ${id}` : `thaw ${top}`;
    lines.set(command, `Cannot continue: ${describeWait(waitingOn).reason}\n  ${commandLine(command)}`);
  }
  return [...lines.values()].flatMap((line) => ["", line]);
}

const PAUSED: ReadonlySet<string> = new Set(["paused", "quarantine", "definition_changed"]);
