// `cadre undo [RUN[#SEQ]]`: takes back the file changes of a run and its descendants, after showing them.

import type { CadreClient } from "../../api/client/client.ts";
import type { UndoView } from "../../api/client/types.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { plural } from "../../projections/words/format.ts";
import { keptReason, LASTING, UNDO_ACTIONS } from "../../projections/words/undo.ts";
import { withClient } from "../connection/connect.ts";
import { latestRun } from "../follow/start-request.ts";
import { EXIT, type Invocation, isAttended, report, usageError } from "../invocation.ts";
import { parseRunReference } from "../lookup/runs.ts";
import { confirm } from "../terminal/keys.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

interface UndoOptions {
  dryRun?: boolean;
  yes?: boolean;
}

type Where = ReturnType<typeof parseRunReference>;

export async function undo(
  invocation: Invocation,
  where: string | undefined,
  { dryRun, yes }: UndoOptions,
): Promise<number> {
  const { screen } = invocation;
  const given = where === undefined ? undefined : parseRunReference(where);
  const { at, plan } = await withClient(invocation, async (client) => {
    const at = given ?? { runId: (await latestRun(client)).id };
    return { at, plan: await planOf(client, at) };
  });
  const isEmpty = changedFiles(plan).length === 0;
  if (dryRun || isEmpty) return exitCode(plan, report(invocation, plan, undoLines(plan, invocation)));
  if (!yes) {
    if (!isAttended(invocation))
      throw usageError(
        `This would change ${plural(changedFiles(plan).length, "file")}. Nothing was changed: look with --dry-run, and add --yes if you mean it.`,
      );
    for (const line of fitLines(undoLines(plan, invocation), screen)) screen.line(line);
    if (!(await confirm(invocation, "Take this back? [y/N] "))) {
      screen.line("Nothing was changed.");
      return EXIT.cancelled;
    }
  }
  const done = await withClient(invocation, (client) => undoOf(client, at));
  return exitCode(done, report(invocation, done, undoLines(done, invocation)));
}

const planOf = (client: CadreClient, { runId: id, seq }: Where): Promise<UndoView> =>
  client.get("/api/runs/{id}/undo", { id, ...omitUndefined({ seq }) });

export const undoOf = (client: CadreClient, { runId: id, seq }: Where): Promise<UndoView> =>
  client.post("/api/runs/{id}/undo", { id, body: omitUndefined({ seq }) });

const changedFiles = ({ files }: UndoView): UndoView["files"] =>
  files.filter(({ action }) => action !== undefined);

/** 1 if a file could not be taken back completely, so that a script notices it. */
const exitCode = ({ files }: UndoView, code: number): number =>
  files.some((file) => keptReason(file) !== undefined) ? EXIT.failed : code;

export function undoLines(view: UndoView, { screen }: Pick<Invocation, "screen">): string[] {
  const { files, lasting, incomplete, aside, seq } = view;
  const isDone = aside !== undefined;
  const changed = changedFiles(view);
  const kept = files.filter((file) => keptReason(file) !== undefined);
  const moment = seq === undefined ? `before run ${view.runId}` : `after ${view.runId}#${seq}`;
  if (changed.length + kept.length === 0)
    return [`Nothing to take back: the files are as they were ${moment}.`, ...lastingLines(view)];
  const verb = isDone ? "Taken back" : "Would take back";
  return [
    `${verb} the changes of ${plural(changed.length, "file")}, to how they were ${moment}.`,
    ...table(
      changed.map((file) => [`  ${UNDO_ACTIONS[file.action!][isDone ? "done" : "plan"]}`, pathText(file)]),
    ),
    ...(kept.length > 0 ? [screen.paint("yellow", plural(kept.length, "conflict"))] : []),
    ...kept.map((file) => `  ${pathText(file)}: ${keptReason(file)}`),
    ...(lasting.length + incomplete.length > 0 ? lastingLines(view) : []),
    ...(aside ?? []).map((folder) => `The replaced files are in ${plainLine(folder)}`),
  ];
}

function lastingLines({ lasting, incomplete }: UndoView): string[] {
  return [
    ...(lasting.length > 0 ? [`${LASTING}:`] : []),
    ...lasting.map(
      ({ runId, seq, text, isCutOff }) =>
        `  ${runId}#${seq} ${plainLine(text)}${isCutOff ? " (cut off, so its changes of files are not known)" : ""}`,
    ),
    ...(incomplete.length > 0
      ? [
          `After ${plural(incomplete.length, "call")} not all changes are known: the folder has too many files, or could not be listed.`,
        ]
      : []),
  ];
}

const pathText = ({ path, folder }: UndoView["files"][number]): string =>
  plainLine(folder === undefined ? path : `${folder}/${path}`);
