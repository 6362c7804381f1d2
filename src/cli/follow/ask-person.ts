// Asks the person at the terminal about one open item and records the answer.
// If an answer cannot be recorded, the reason is printed. The question is repeated if another answer could help.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView, DecisionBody, OutcomeBody } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { ALWAYS_DAYS } from "../../permissions/permission.ts";
import { MERGE_CALL } from "../../projections/folds/tool-call.ts";
import { REJECT_REASONS, rejectionNote } from "../../projections/words/decisions.ts";
import { usageError } from "../invocation.ts";
import { staleLines } from "../lookup/stale-diff.ts";
import { parseAmount } from "../option-values.ts";
import { type Draft, type EditorContext, editJson } from "../terminal/edit-json.ts";
import type { Keys } from "../terminal/keys.ts";
import { type Asker, approvalLines, editLines, itemTitle, probeLines } from "../view/approval.ts";
import type { Paint, Screen } from "../view/screen.ts";
import { plain, plainLine } from "../view/text/plain.ts";

/** The requests that a question makes. */
export type AskingClient = Pick<CadreClient, "get" | "post">;

export interface PromptContext extends EditorContext {
  client: AskingClient;
  screen: Screen;
  keys: Keys;
  /** Number of open items that still wait for an answer, besides this one. */
  othersWaiting(): number;
  askerOf(item: ApprovalView): Asker;
}

/** Returns false if the person skipped the item. If the signal is aborted, the promise rejects and no decision is recorded. */
export async function askAboutItem(
  item: ApprovalView,
  context: PromptContext,
  signal: AbortSignal,
): Promise<boolean> {
  const choices = choicesFor(item);
  let stale = await staleLines(item, context.client, context.screen);
  let card = (): string[] => [...approvalLines(item, context.screen, context.askerOf(item)), ...stale];
  for (;;) {
    const choice = await choose(choices, card, context, signal);
    if (choice === skip) return false;
    card = () => [];
    try {
      // The file may have changed while the diff was on the screen. Then the first approval shows that, and decides nothing.
      if (choice.approves && stale.length === 0) {
        stale = await staleLines(item, context.client, context.screen);
        for (const line of stale) context.screen.line(line);
        if (stale.length > 0) continue;
      }
      if (await choice.act(item, context, signal)) return true;
    } catch (error) {
      if (!(error instanceof CadreError) || signal.aborted) throw error;
      context.screen.line(context.screen.paint("red", plain(error.message)));
      if (!MAY_BE_ASKED_AGAIN.has(error.code)) return true;
    }
  }
}

const MAY_BE_ASKED_AGAIN = new Set(["UNPROCESSABLE", "BAD_REQUEST", "USAGE"]);

interface Choice {
  key: string;
  /** Short text in the prompt. The key `?` shows the longer text `help`. */
  label: string;
  help: string;
  /** True if the call may run exactly as shown. */
  approves?: true;
  /** Returns false if nothing was decided. */
  act(item: ApprovalView, context: PromptContext, signal: AbortSignal): Promise<boolean>;
}

async function choose(
  choices: readonly Choice[],
  card: () => string[],
  { screen, keys, othersWaiting }: PromptContext,
  signal: AbortSignal,
): Promise<Choice> {
  const labels = [...choices.map(({ label }) => label), "[?]"].join("  ");
  const help = choices.map(({ key, help }) => `  ${key}  ${help}`).join("\n");
  let above = "";
  const text = (): string =>
    `${above}${waitingText(othersWaiting(), screen.paint)}${screen.paint("bold", labels)} `;
  screen.prompt({ card, text });
  try {
    for (;;) {
      const key = await keys.readKey(signal);
      const choice = choices.find((candidate) => candidate.key === key);
      if (choice) {
        screen.answer(key);
        return choice;
      }
      if (key !== "?") continue;
      if (screen.rich) above = `${help}\n`;
      else screen.line(help);
      screen.redraw();
    }
  } finally {
    screen.prompt(undefined);
  }
}

function waitingText(more: number, paint: Paint): string {
  if (more <= 0) return "";
  return paint("yellow", `${more} more ${more === 1 ? "is" : "are"} waiting  `);
}

const approve: Choice = {
  key: "a",
  label: "[a]pprove",
  help: "approve this once, exactly as shown",
  approves: true,
  act: (item, context) => decide(item, context, { decision: "approve" }),
};

/** Keeps the draft of a refused edit, so that the person can correct the draft. */
function createEdit(): Choice {
  const draft: Draft = { text: undefined };
  return {
    key: "e",
    label: "[e]dit",
    help: "edit the input, then approve it",
    async act(item, context, signal) {
      const input = await editJson(item.input, draft, context, signal);
      if (input === undefined) return false;
      context.screen.line(editLines(item.input, input, context.screen).join("\n"));
      return decide(item, context, { decision: "edit", input });
    },
  };
}

const reject: Choice = {
  key: "r",
  label: "[r]eject",
  help: "reject it; the agent reads your reason and continues without it",
  async act(item, context, signal) {
    const quick = REJECT_REASONS.map(({ label }, at) => `${at + 1} ${label.toLowerCase()}`).join(" · ");
    context.screen.line(context.screen.paint("dim", quick));
    const note = rejectionNote((await context.keys.readLine("Why (the agent reads it): ", signal)).trim());
    return decide(item, context, { decision: "reject", ...(note === "" ? {} : { note }) });
  },
};

const skip: Choice = {
  key: "s",
  label: "[s]kip",
  help: "leave it open for later or for another person; other questions come first",
  act: async () => false,
};

const always = (grant: string): Choice => ({
  key: "A",
  label: `[A]lways this, for ${ALWAYS_DAYS} days: ${plainLine(grant)}`,
  help: "approve this now and whenever it comes up again in this folder; `cadre permissions` lists and revokes it",
  approves: true,
  act: (item, context) => decide(item, context, { decision: "approve", scope: "always" }),
});

const letContinue: Choice = { ...approve, help: "let the run continue" };

const raise: Choice = {
  ...approve,
  help: "raise the budget and let the run continue",
  async act(item, context, signal) {
    const text = await context.keys.readLine("New budget, for example $5 or 200k tokens: ", signal);
    return decide(item, context, { decision: "approve", limits: parseBudget(text) });
  },
};

const stop: Choice = { ...reject, help: "let the run end" };

const answer: Choice = {
  key: "a",
  label: "[a]nswer",
  help: "type an answer; the run continues with it",
  async act(item, context, signal) {
    const text = (await context.keys.readLine("Answer: ", signal)).trim();
    return text === "" ? false : decide(item, context, { decision: "answer", answer: text });
  },
};

const leaveUnanswered: Choice = {
  ...reject,
  help: "give no answer; the run continues without one",
  act: (item, context) => decide(item, context, { decision: "reject" }),
};

const outcomes: readonly Choice[] = [
  {
    key: "l",
    label: "[l]ook",
    help: "probe whether it took effect; changes and decides nothing",
    async act({ runId, callId }, { client, screen }) {
      for (const line of probeLines(
        await client.post("/api/runs/{id}/probe", { id: runId, body: { callId: callId! } }),
      ))
        screen.line(line);
      return false;
    },
  },
  {
    key: "h",
    label: "[h]appened",
    help: "it took effect: it is not run again, and the agent is told so",
    async act(item, context, signal) {
      const output = (
        await context.keys.readLine("Its result (the agent reads it; may be empty): ", signal)
      ).trim();
      return verdict(item, context, { verdict: "happened", ...(output === "" ? {} : { output }) }, signal);
    },
  },
  {
    key: "r",
    label: "[r]un again",
    help: "it did not take effect: run it now",
    act: (item, context, signal) => verdict(item, context, { verdict: "run_again" }, signal),
  },
  {
    key: "f",
    label: "[f]ail",
    help: "leave it: the agent is told that the outcome is not known",
    act: (item, context, signal) => verdict(item, context, { verdict: "fail" }, signal),
  },
];

export function parseBudget(text: string): { maxTokens: number } | { maxCost: number } {
  const { unit, amount = 0 } = parseAmount(text) ?? {};
  if (unit !== undefined && amount > 0)
    return unit === "maxCost" ? { maxCost: amount } : { maxTokens: amount };
  throw usageError("This is not a budget: write $5, or 200k tokens. Nothing was decided.");
}

function choicesFor({ kind, tool, grant }: ApprovalView): readonly Choice[] {
  switch (kind) {
    case "tool":
      if (tool === MERGE_CALL) return [approve, reject, skip];
      return [approve, createEdit(), reject, skip, ...(grant === undefined ? [] : [always(grant)])];
    case "question":
      return [answer, leaveUnanswered, skip];
    case "outcome":
      return [...outcomes, skip];
    case "budget":
      return [raise, stop, skip];
    case "loop":
      return [letContinue, stop, skip];
  }
}

async function decide(item: ApprovalView, { client }: PromptContext, decision: DecisionBody): Promise<true> {
  await client.post("/api/approvals/{id}", { id: item.id, body: decision });
  return true;
}

async function verdict(
  item: ApprovalView,
  context: PromptContext,
  { output, ...body }: Pick<OutcomeBody, "verdict" | "output">,
  signal: AbortSignal,
): Promise<true> {
  const alsoFor = await othersToo(item, context, signal);
  // One text cannot be the result of several calls, so it becomes the reason.
  const text = output === undefined ? {} : alsoFor.length > 0 ? { note: output } : { output };
  await context.client.post("/api/runs/{id}/outcome", {
    id: item.runId,
    body: { callId: item.callId!, ...body, ...text, ...(alsoFor.length > 0 ? { alsoFor } : {}) },
  });
  return true;
}

/** Shows the other unknown outcomes of the tree. Returns their ids if the person gives them the same verdict. */
async function othersToo(
  { id, rootRunId }: ApprovalView,
  { client, screen, keys }: PromptContext,
  signal: AbortSignal,
): Promise<string[]> {
  const { approvals } = await client.get("/api/approvals");
  const others = approvals.filter(
    (other) => other.kind === "outcome" && other.rootRunId === rootRunId && other.id !== id,
  );
  if (others.length === 0) return [];
  for (const other of others) screen.line(`  ${plainLine(other.path.join(" › "))}: ${itemTitle(other)}`);
  const question = `The same answer for ${others.length === 1 ? "this call" : `these ${others.length} calls`} of the tree? [y/N] `;
  const isYes = /^y(es)?$/i.test((await keys.readLine(question, signal)).trim());
  return isYes ? others.map((other) => other.id) : [];
}
