// Finds open items by their ids, and loads the details to show.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import type { CommandLine } from "../command-line.ts";
import { type Invocation, report } from "../invocation.ts";
import { answerCommands, type Card, cardLines, itemTitle } from "../view/approval.ts";
import type { Page } from "../view/text/fit.ts";
import { staleLines } from "./stale-diff.ts";

/**
 * Finds an open item by its id or by the beginning of its id. The run's id in front of the colon can also be shortened.
 * If no open item matches, returns the given id unchanged: the server knows whether the item was already decided.
 */
export function findApproval(open: readonly ApprovalView[], id: string): ApprovalView | string {
  const exact = open.find((item) => item.id === id);
  if (exact) return exact;
  const matches = open.filter(
    (item) => item.id.startsWith(id) || isShortened(item, id) || isOutcomeOf(item, id),
  );
  if (matches.length > 1) {
    const ids = matches.map((item) => item.id).join(", ");
    throw new CadreError(
      "CONFLICT",
      `${matches.length} open items begin with ${id}: ${ids}. Give more of the id. Nothing was decided.`,
    );
  }
  return matches[0] ?? id;
}

/** Whether the given id is an item's id with a shortened run, for example `r1m7:m4.0` for `r1m7p…:m4.0`. */
function isShortened({ runId, itemId }: ApprovalView, given: string): boolean {
  const colon = given.indexOf(":");
  return colon > 0 && runId.startsWith(given.slice(0, colon)) && given.slice(colon + 1) === itemId;
}

/** True if the given id belongs to an earlier approval of a call, and this item asks whether that call took effect. */
function isOutcomeOf({ kind, runId, callId }: ApprovalView, given: string): boolean {
  const colon = given.indexOf(":");
  const call = (id: string): string => id.replace(/~\d+$/, "");
  const isItsRun = colon > 0 && runId.startsWith(given.slice(0, colon));
  return kind === "outcome" && isItsRun && call(given.slice(colon + 1)) === call(callId!);
}

/** P4: refuses `approve` and `reject` for a call with an unknown outcome, because neither says whether the call took effect. */
export function refuseOutcome(item: ApprovalView, commandLine: CommandLine): void {
  if (item.kind !== "outcome") return;
  const [command] = answerCommands(item, commandLine);
  throw new CadreError(
    "OUTCOME_UNKNOWN",
    `It is unknown whether this took effect (${itemTitle(item)}). Nothing was decided. Find out, and record it: ${command}`,
    { approvalId: item.id, runId: item.runId, callId: item.callId },
  );
}

/** Loads open items together with the tasks of their runs, for a person who has not followed the runs. Says which diffs are stale. */
export async function loadCards(
  client: CadreClient,
  items: readonly ApprovalView[],
  page: Page,
): Promise<Card[]> {
  const runIds = [...new Set(items.map(({ runId }) => runId))];
  const runs = await Promise.all(runIds.map((id) => client.get("/api/runs/{id}", { id })));
  const tasks = new Map(runs.map(({ id, task }) => [id, task]));
  return Promise.all(
    items.map(async (item) => ({
      item,
      task: tasks.get(item.runId)!,
      stale: await staleLines(item, client, page),
    })),
  );
}

/** Prints the open items in full, each with the commands that answer it. */
export function reportCards(invocation: Invocation, cards: readonly Card[], none: string): number {
  const { commandLine, screen } = invocation;
  const items = cards.map(({ item, task, stale }) => ({
    ...item,
    task,
    ...(stale.length === 0 ? {} : { stale: true }),
  }));
  return report(invocation, items, cards.length === 0 ? [none] : cardLines(cards, commandLine, screen));
}
