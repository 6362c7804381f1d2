// F19: an edited call must match the tool's schema and obey the rules. Otherwise the approval stays open.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { ApprovalItem } from "../../projections/folds/approvals.ts";
import type { RunState } from "../../projections/folds/run-state.ts";
import { type DelegationRequest, findDelegate, parseDelegation } from "../builtin-tools/declared/delegate.ts";
import { callEffect, judgeCall } from "../calls/judge.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

type EditParts = Pick<LoopParts, "store" | "tools" | "judge" | "judgeShell" | "authority" | "clock">;

/** Returns the protected file that the edited call concerns. */
export async function checkEdit(
  item: ApprovalItem,
  input: unknown,
  state: RunState,
  parts: EditParts,
): Promise<string | undefined> {
  if (state.runner.started)
    throw new CadreError(
      "UNPROCESSABLE",
      "A program does this itself: it can be allowed or not, but not changed. The approval stays open.",
    );
  const asked = parseDelegation({ name: item.tool!, input, invalid: undefined });
  if (asked) {
    await checkEditedDelegation(asked, state, parts);
    return undefined;
  }
  const tool = parts.tools.get(item.tool!);
  const parsed = tool?.input.safeParse(input);
  if (!tool || !parsed?.success) {
    throw new CadreError(
      "UNPROCESSABLE",
      `The edited input does not fit ${item.tool}: ${parsed?.error ? z.prettifyError(parsed.error) : "the tool is gone"}. The approval stays open.`,
      { issues: parsed?.error?.issues ?? [] },
    );
  }
  const definition = await loadDefinition(parts.store, state.start!.definition);
  const { effect } = callEffect(tool, input, parts);
  const judged = judgeCall(tool, input, effect, [], { definition, state }, parts);
  const { verdict, rule } = judged;
  if (verdict !== "deny") return judged.protected;
  throw new CadreError(
    "UNPROCESSABLE",
    `The edited input is not allowed (${rule}). The approval stays open.`,
    { rule },
  );
}

/** Checks an edited delegation. A person can change the task, or choose another of this agent's delegates. */
async function checkEditedDelegation(
  asked: DelegationRequest | { problem: string },
  state: RunState,
  parts: Pick<EditParts, "store">,
): Promise<void> {
  const { name, delegates = [] } = await loadDefinition(parts.store, state.start!.definition);
  if (!("problem" in asked) && findDelegate(delegates, asked.name)) return;
  const problem = "problem" in asked ? asked.problem : `${name} cannot delegate to ${asked.name}.`;
  throw new CadreError("UNPROCESSABLE", `${problem} The approval stays open.`);
}
