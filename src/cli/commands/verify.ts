// `cadre verify RUN`: checks the hash chains of a run and its descendants, and whether approved calls ran as approved.
// `cadre verify FILE`: makes the same checks on an exported file, without a store.

import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPage, journalOfPage } from "../../api/views/tree-page.ts";
import { CadreError } from "../../errors.ts";
import { checkReceipts, findTreeProblem } from "../../loop/replay/check-journals.ts";
import { plural } from "../../projections/words/format.ts";
import { readTree } from "../../stores/tree-file.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation, report } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";

export async function verify(invocation: Invocation, given: string): Promise<number> {
  const file = resolve(invocation.io.cwd, given);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return verifyFile(invocation, file);
  if (!isRunId(given))
    throw new CadreError(
      "NOT_FOUND",
      `There is no file ${file}, and no run with this id. Nothing was checked.`,
    );
  const checked = await withClient(invocation, (client) =>
    client.get("/api/runs/{id}/verify", { id: given }),
  );
  const { runs, events, receipts, head, problem } = checked;
  const all = `${plural(events, "event")}${runs > 1 ? ` of ${plural(runs, "run")}` : ""}`;
  return reportCheck(invocation, {
    checked: { runId: given, ...checked },
    whole: `${all}, chain ends in ${head}${approvedWords(receipts)}`,
    problem,
  });
}

/** Distinguishes a run's id from a file's path. An id contains no dots and no slashes. */
const isRunId = (given: string): boolean => /^[a-z0-9]+$/.test(given);

async function verifyFile(invocation: Invocation, file: string): Promise<number> {
  try {
    const { root, version, events } = readTree(journalIn(await readFile(file, "utf8")));
    const journals = Map.groupBy(
      events.map(({ event }) => event),
      ({ runId }) => runId,
    );
    const { receipts, problem = findTreeProblem(journals) } = checkReceipts(journals, (text) =>
      hash("sha256", text),
    );
    const runs = journals.size;
    const checked = { file, ok: !problem, runId: root, version, runs, events: events.length, receipts };
    const { message, ...at } = problem ?? {};
    return reportCheck(invocation, {
      checked: { ...checked, ...(problem ? { problem: message, at } : {}) },
      whole: `${root}, ${plural(runs, "run")}, ${plural(events.length, "event")}, written by Cadre ${version}${approvedWords(receipts)}`,
      problem: message,
    });
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const { reason: problem, details } = error;
    return reportCheck(invocation, { checked: { file, ok: false, problem, ...details }, whole: "", problem });
  }
}

function reportCheck(invocation: Invocation, { checked, whole, problem }: Checked): number {
  const { paint } = invocation.screen;
  const line = checked.ok
    ? `${paint("green", "Whole")}: ${plainLine(whole)}`
    : `${paint("red", "Not whole")}: ${plainLine(problem ?? "the chain is broken")}`;
  report(invocation, checked, [line]);
  return checked.ok ? EXIT.done : EXIT.failed;
}

interface Checked {
  /** The result as printed with `--json`. */
  checked: Record<string, unknown> & { ok: boolean };
  whole: string;
  problem?: string | undefined;
}

const approvedWords = (receipts: number): string =>
  receipts === 0 ? "" : `; ${plural(receipts, "approved call")} ran as approved`;

const journalIn = (text: string): string => (isPage(text) ? journalOfPage(text) : text);
