// `cadre approve [ID]`: approves a call, as proposed or with an edited input. Without an id it decides nothing and lists the
// open items.

import type { ApprovalView, DecisionBody } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { loadCards } from "../lookup/approval-cards.ts";
import { findApproval, refuseOutcome } from "../lookup/find-approval.ts";
import { parseInput } from "../terminal/edit-json.ts";
import { approvalLines, type Card, cardLines, editLines } from "../view/approval.ts";
import { nextDriverText } from "../view/drivers.ts";
import type { Screen } from "../view/screen.ts";
import { jsonLine } from "../view/text/plain.ts";

export interface ApproveOptions {
  edit?: string;
  scope?: "once" | "run" | "tree" | "always";
  note?: string;
  answer?: string;
  ask?: string;
  maxTokens?: string;
  maxCost?: string;
}

export async function approve(
  invocation: Invocation,
  id: string | undefined,
  options: ApproveOptions,
): Promise<number> {
  const { folder, io, json, screen, commandLine } = invocation;
  if (id === undefined) return list(invocation, options);
  const { ask: person, ...rest } = options;
  if (person !== undefined) return ask(invocation, id, person, rest);
  const decision = decisionOf(options);
  return withClient({ folder, io }, async (client) => {
    const open = (await client.get("/api/approvals")).approvals;
    const item = findApproval(open, id);
    if (typeof item !== "string") {
      refuseOutcome(item, commandLine);
      refuseMisfit(item, decision);
    }
    const approvalId = typeof item === "string" ? item : item.id;
    const cards = await loadCards(client, typeof item === "string" || json ? [] : [item]);
    const { alreadyDecided } = await client.post("/api/approvals/{id}", { id: approvalId, body: decision });
    for (const card of cards) showDecided(card, decision, screen);
    const next = await nextDriverText(client, commandLine);
    const word = alreadyDecided ? "It was already approved" : "Approved";
    screen.line(json ? jsonLine({ id: approvalId, ...decision, alreadyDecided }) : `${word}; ${next}.`);
    return EXIT.done;
  });
}

/** U21: asking another person decides nothing, so options that decide are refused. */
async function ask(
  { folder, io, json, screen }: Invocation,
  id: string,
  person: string,
  { note, ...decides }: Omit<ApproveOptions, "ask">,
): Promise<number> {
  if (Object.keys(decides).length > 0)
    throw new CadreError(
      "USAGE",
      "--ask decides nothing, so it can only be combined with --note. Nothing was changed.",
    );
  return withClient({ folder, io }, async (client) => {
    const item = findApproval((await client.get("/api/approvals")).approvals, id);
    const approvalId = typeof item === "string" ? item : item.id;
    await client.post("/api/approvals/{id}/ask", {
      id: approvalId,
      body: { person, ...(note === undefined ? {} : { note }) },
    });
    screen.line(
      json ? jsonLine({ id: approvalId, asked: person }) : `Recorded: ${person} is asked. It stays open.`,
    );
    return EXIT.done;
  });
}

/** Refuses options without an id: a person must have seen what they decide. */
async function list(
  { folder, io, json, screen, commandLine }: Invocation,
  options: ApproveOptions,
): Promise<number> {
  if (Object.keys(options).length > 0) {
    throw new CadreError(
      "USAGE",
      "Say which: `cadre approve` lists what is open, `cadre approve <id>` decides. Nothing was decided.",
    );
  }
  const cards = await withClient({ folder, io }, async (client) =>
    loadCards(client, (await client.get("/api/approvals")).approvals),
  );
  if (json) screen.line(jsonLine(cards.map(({ item, task }) => ({ ...item, task }))));
  else if (cards.length === 0) screen.line("Nothing waits for a person here.");
  else for (const line of cardLines(cards, commandLine, screen)) screen.line(line);
  return EXIT.done;
}

function showDecided({ item, task }: Card, { decision, input }: DecisionBody, screen: Screen): void {
  for (const text of approvalLines(item, screen, { path: item.path, task })) screen.line(text);
  if (decision === "edit") for (const text of editLines(item.input, input, screen)) screen.line(text);
}

function decisionOf(options: ApproveOptions): DecisionBody {
  const { edit, scope, note, answer } = options;
  const limits = limitsOf(options);
  return {
    decision: edit !== undefined ? "edit" : answer !== undefined ? "answer" : "approve",
    ...(edit === undefined ? {} : { input: parseInput(edit) }),
    ...(answer === undefined ? {} : { answer }),
    ...(scope === undefined ? {} : { scope }),
    ...(note === undefined ? {} : { note }),
    ...(limits === undefined ? {} : { limits }),
  };
}

function limitsOf({ maxTokens, maxCost }: ApproveOptions): DecisionBody["limits"] {
  if (maxTokens === undefined && maxCost === undefined) return undefined;
  const read = (flag: string, text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0) return value;
    throw new CadreError("USAGE", `${flag} ${text}: give a number above 0. Nothing was decided.`);
  };
  return {
    ...(maxTokens === undefined ? {} : { maxTokens: read("--max-tokens", maxTokens) }),
    ...(maxCost === undefined ? {} : { maxCost: read("--max-cost", maxCost) }),
  };
}

/** Refuses to approve a used-up budget without raising it: it would be used up again at once. */
function refuseMisfit(item: ApprovalView, { limits }: DecisionBody): void {
  if (item.kind === "budget" && !limits) {
    throw new CadreError(
      "USAGE",
      "The budget is used up: raise it with --max-tokens or --max-cost. Nothing was decided.",
    );
  }
}
