// `cadre approve [ID]`: approves a call as proposed, or with an edited input.
// `cadre approve` without an id asks about each open item at a terminal, and lists them elsewhere. `cadre reject ID` rejects a call.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView, DecisionBody } from "../../api/client/types.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { withClient } from "../connection/connect.ts";
import { askInbox } from "../follow/ask-inbox.ts";
import { type Invocation, isAttended, report, usageError } from "../invocation.ts";
import { findApproval, loadCards, refuseOutcome, reportCards } from "../lookup/approvals.ts";
import { parseInput } from "../terminal/edit-json.ts";
import { withLiveScreen } from "../terminal/with-live-screen.ts";
import { approvalLines, type Card, editLines } from "../view/approval.ts";
import { reportRecorded } from "../view/drivers.ts";
import type { Screen } from "../view/screen.ts";

interface ApproveOptions {
  edit?: string;
  scope?: "once" | "run" | "tree" | "always";
  note?: string;
  answer?: string;
  ask?: string;
  maxTokens?: string;
  maxCost?: string;
  continue: boolean;
}

export async function approve(
  invocation: Invocation,
  id: string | undefined,
  { continue: starts, ...options }: ApproveOptions,
): Promise<number> {
  if (id === undefined) return answerOpen(invocation, options, starts);
  const { ask: person, ...rest } = options;
  if (person !== undefined) return ask(invocation, id, person, rest);
  const decision = decisionOf(options);
  return withClient(invocation, async (client) => {
    const { approvalId, item } = await findOpen(client, id);
    if (item) {
      refuseOutcome(item, invocation.commandLine);
      refuseMisfit(item, decision);
    }
    const cards = await loadCards(client, item && !invocation.json ? [item] : [], invocation.screen);
    const { alreadyDecided } = await client.post("/api/approvals/{id}", { id: approvalId, body: decision });
    for (const card of cards) showDecided(card, decision, invocation.screen);
    const value = { id: approvalId, ...decision, alreadyDecided };
    const isStale = cards.some(({ stale }) => stale.length > 0) && decision.decision === "approve";
    const text = alreadyDecided
      ? "It was already approved"
      : isStale
        ? "Approved, but the file has changed: you will be asked again"
        : "Approved";
    return reportRecorded(invocation, client, { value, text, starts });
  });
}

/** U21: `--ask` asks another person to decide, so it cannot be combined with an option that decides. */
async function ask(
  invocation: Invocation,
  id: string,
  person: string,
  { note, ...decides }: Omit<ApproveOptions, "ask" | "continue">,
): Promise<number> {
  if (Object.keys(decides).length > 0)
    throw usageError("--ask decides nothing, so it can only be combined with --note. Nothing was changed.");
  return withClient(invocation, async (client) => {
    const { approvalId } = await findOpen(client, id);
    await client.post("/api/approvals/{id}/ask", { id: approvalId, body: { person, note } });
    const line = `Recorded: ${person} is asked. It stays open.`;
    return report(invocation, { id: approvalId, asked: person }, [line]);
  });
}

/** Asks about the open items at a terminal, and lists them elsewhere. Refuses options: the person must see an item before they decide about it. */
async function answerOpen(invocation: Invocation, options: object, starts: boolean): Promise<number> {
  if (Object.keys(options).length > 0)
    throw usageError(
      "Say which: `cadre approve` lists what is open, `cadre approve <id>` decides. Nothing was decided.",
    );
  if (isAttended(invocation)) return withLiveScreen(invocation, (shown) => askInbox(shown, { starts }));
  const cards = await withClient(invocation, async (client) =>
    loadCards(client, (await client.get("/api/approvals")).approvals, invocation.screen),
  );
  return reportCards(invocation, cards, "Nothing waits for a person here.");
}

function showDecided({ item, task, stale }: Card, { decision, input }: DecisionBody, screen: Screen): void {
  for (const text of [...approvalLines(item, screen, { path: item.path, task }), ...stale]) screen.line(text);
  if (decision === "edit") for (const text of editLines(item.input, input, screen)) screen.line(text);
}

function decisionOf(options: Omit<ApproveOptions, "continue">): DecisionBody {
  const { edit, scope, note, answer } = options;
  const decision = edit !== undefined ? "edit" : answer !== undefined ? "answer" : "approve";
  const more = omitUndefined({
    input: edit === undefined ? undefined : parseInput(edit),
    answer,
    scope,
    note,
    limits: limitsOf(options),
  });
  return { decision, ...more };
}

function limitsOf({
  maxTokens,
  maxCost,
}: Pick<ApproveOptions, "maxTokens" | "maxCost">): DecisionBody["limits"] {
  if (maxTokens === undefined && maxCost === undefined) return undefined;
  const read = (flag: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() !== "" && value > 0) return value;
    throw usageError(`${flag} ${text}: give a number above 0. Nothing was decided.`);
  };
  return omitUndefined({
    maxTokens: read("--max-tokens", maxTokens),
    maxCost: read("--max-cost", maxCost),
  });
}

/** Refuses to approve a budget item without a higher limit: the run would stop again immediately. */
function refuseMisfit(item: ApprovalView, { limits }: DecisionBody): void {
  if (item.kind === "budget" && !limits)
    throw usageError("The budget is used up: raise it with --max-tokens or --max-cost. Nothing was decided.");
}

/** Rejects a call. The agent receives the reason and continues without the call. */
export async function reject(
  invocation: Invocation,
  given: string,
  { note, continue: starts }: { note?: string; continue: boolean },
): Promise<number> {
  return withClient(invocation, async (client) => {
    const { approvalId: id, item } = await findOpen(client, given);
    if (item) refuseOutcome(item, invocation.commandLine);
    const decision = { decision: "reject" as const, note };
    const { alreadyDecided } = await client.post("/api/approvals/{id}", { id, body: decision });
    const text = alreadyDecided ? "It was already rejected" : "Rejected";
    return reportRecorded(invocation, client, { value: { id, ...decision, alreadyDecided }, text, starts });
  });
}

/** `item` is undefined if no open item matches. */
async function findOpen(
  client: CadreClient,
  given: string,
): Promise<{ approvalId: string; item: ApprovalView | undefined }> {
  const found = findApproval((await client.get("/api/approvals")).approvals, given);
  return typeof found === "string"
    ? { approvalId: found, item: undefined }
    : { approvalId: found.id, item: found };
}
