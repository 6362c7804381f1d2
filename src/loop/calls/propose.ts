// Each call of a thought gets a verdict, with the rule that decided. What is asked of a person is shown as it will run:
// the approval is bound to the call, the definition, the permissions and the files as they are now (P5).

import type { EventBody, Payload } from "../../journal/events.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import {
  GRANT_RULE,
  type Grant,
  type PermissionRequest,
  type Verdict,
} from "../../permissions/permission.ts";
import { taintToPassOn } from "../../projections/folds/taint.ts";
import { ASK_USER, effectiveInput, type ToolCall } from "../../projections/folds/tool-call.ts";
import type { AnyTool, Preview } from "../../tools/tool.ts";
import { A_QUESTION, isQuestion, questionProblem, UNATTENDED } from "../builtin-tools/declared/ask-user.ts";
import {
  DELEGATE,
  type DelegationRequest,
  findDelegate,
  isDelegation,
  parseDelegation,
  resolveContextMode,
} from "../builtin-tools/declared/delegate.ts";
import {
  builtinEffect,
  isLoopTool,
  mustBeListed,
  previewBuiltinCall,
  reachesOthers,
} from "../builtin-tools/index.ts";
import { delegationBlastRadius } from "../children/blast-radius.ts";
import { checkDelegation } from "../children/check-delegation.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { failedResult, invalidJsonMessage } from "../refuse-call.ts";
import { delegationEscalation, messageEscalation } from "./escalation.ts";

export async function proposeCall(
  call: ToolCall,
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
): Promise<EventBody> {
  if (isDelegation(call.name)) return proposeDelegation(call, grants, run, parts);
  if (isQuestion(call.name)) return proposeQuestion(call, grants, run, parts);
  if (!isLoopTool(call.name)) return proposeToolCall(call, 1, grants, run, parts);
  const { name, input } = call;
  const effect = builtinEffect(name);
  const raises = await messageEscalation(call, run, parts);
  const judged = applyUnattendedPolicy(judgeCall({ name, raises }, input, effect, grants, run, parts), run);
  const preview = await previewBuiltinCall(call, run, parts);
  return proposalEvent(call, { name, effect, ...judged }, preview, run, parts);
}

/** Asked of a person unless a rule forbids it; nothing runs, so there is nothing that an answer is bound to. */
function proposeQuestion(
  call: ToolCall,
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
): EventBody {
  const problem = call.invalid === undefined ? questionProblem(call) : invalidJsonMessage(call);
  if (problem !== undefined) return failedResult(call, problem, "error");
  const judged = applyUnattendedPolicy(judgeQuestion(call, grants, run, parts), run);
  const base = { toolCallId: call.id, name: ASK_USER, effect: "read" as const, ...judged };
  const payload = judged.verdict === "ask" ? { ...base, ...openedBy(run, parts) } : base;
  return { type: "TOOL_PROPOSED", payload };
}

export function judgeQuestion(
  { input }: ToolCall,
  grants: readonly Grant[],
  run: DecisionView,
  parts: Judging,
): Verdict {
  const rules = judgeCall({ name: ASK_USER }, input, "read", grants, run, parts);
  return rules.verdict === "deny" ? rules : { verdict: "ask", rule: A_QUESTION };
}

/** View under one name, whatever the model calls it; its own agent's list of tools has no say in it. */
async function proposeDelegation(
  call: ToolCall,
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
): Promise<EventBody> {
  const asked = parseDelegation(call);
  if ("problem" in asked) return failedResult(call, asked.problem, "error");
  const refused = await checkDelegation(call, asked, run, parts);
  if (refused) return failedResult(call, refused.output, refused.outcome);
  const raises = await delegationEscalation(asked, run, parts);
  const judged = applyUnattendedPolicy(judgeDelegation({ ...asked, raises }, grants, run, parts), run);
  const context = await resolveContextMode(asked, run, parts);
  const base = { name: DELEGATE, effect: "idempotent" as const, ...judged };
  const mode = context === "none" ? {} : { context };
  const radius = judged.verdict === "ask" ? await delegationBlastRadius(asked, run, parts) : undefined;
  const shown = radius ? { blastRadius: radius } : {};
  return proposalEvent(
    call,
    { ...base, ...mode, ...shown },
    `Start ${asked.name}:\n${asked.task}`,
    run,
    parts,
  );
}

/** By the name that its agent's file writes and by the full one, whatever the model calls it: a deny of either holds. */
export function judgeDelegation(
  { raises, ...asked }: DelegationRequest & { raises?: string | undefined },
  grants: readonly Grant[],
  run: DecisionView,
  parts: Judging,
): Verdict {
  const delegate = findDelegate(run.definition.delegates ?? [], asked.name)!;
  const verdicts = [delegate.name, delegate.agent].map((agent) =>
    judgeCall({ name: DELEGATE, raises }, { ...asked, agent }, "idempotent", grants, run, parts),
  );
  const denied = verdicts.find(({ verdict }) => verdict === "deny");
  // A grant names the agent as it was shown: it holds whatever else the agent is called.
  const granted = verdicts.find(({ rule }) => rule.startsWith(GRANT_RULE));
  return denied ?? granted ?? verdicts.find(({ verdict }) => verdict === "ask") ?? verdicts[0]!;
}

/** TOOL_PROPOSED for a call that the loop performs itself, or leaves to a program. */
export function proposalEvent(
  call: ToolCall,
  judged: Omit<Payload<"TOOL_PROPOSED">, "toolCallId">,
  preview: string,
  run: RunJournal,
  parts: LoopParts,
): EventBody {
  const base = { toolCallId: call.id, ...judged };
  if (judged.verdict !== "ask") return { type: "TOOL_PROPOSED", payload: base };
  const payload: Payload<"TOOL_PROPOSED"> = {
    ...base,
    hash: approvalHash(call.name, call.input, undefined, run, parts),
    preview,
    ...openedBy(run, parts),
  };
  return { type: "TOOL_PROPOSED", payload };
}

/** What an item says beside its call: until when it is open, and whose words may stand behind it. */
function openedBy({ state }: RunJournal, { clock }: LoopParts): { expiresAt?: number; untrusted?: string[] } {
  const { attended: present, approvals, limits } = state.start!;
  const expires = present && approvals.onTimeout !== "wait";
  return {
    ...(expires ? { expiresAt: clock.now() + limits.approvalTimeout } : {}),
    ...taintToPassOn(state.taint),
  };
}

/** TOOL_PROPOSED for one round of a call: again, when what an approval rests on has changed. */
export async function proposeToolCall(
  call: ToolCall,
  round: number,
  grants: readonly Grant[],
  run: RunJournal,
  parts: LoopParts,
): Promise<EventBody> {
  const tool = parts.tools.get(call.name)!;
  const input = effectiveInput(call);
  const effect = callEffect(tool, input, parts);
  const judged = applyUnattendedPolicy(judgeCall(tool, input, effect, grants, run, parts), run);
  const base = { toolCallId: call.id, name: tool.name, effect, ...judged, ...(round > 1 ? { round } : {}) };
  if (judged.verdict !== "ask") return { type: "TOOL_PROPOSED", payload: base };
  const preview = await previewCall(tool, input, run);
  const { fingerprint } = preview;
  const payload: Payload<"TOOL_PROPOSED"> = {
    ...base,
    // P4: a person may make more of a command that only reads, and a crash must not do that twice.
    effect: tool.effect,
    hash: approvalHash(call.name, input, fingerprint, run, parts),
    preview: preview.text,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...openedBy(run, parts),
  };
  return { type: "TOOL_PROPOSED", payload };
}

/** A person's word holds for exactly these bytes. */
export function approvalHash(
  name: string,
  input: unknown,
  fingerprint: string | undefined,
  run: RunJournal,
  parts: LoopParts,
): string {
  const rules = parts.digest(JSON.stringify(parts.authority()));
  return parts.digest(JSON.stringify([name, input, fingerprint ?? null, run.state.start!.definition, rules]));
}

export function judgeCall(
  tool: Pick<AnyTool, "name"> & { raises?: string | undefined },
  input: unknown,
  effect: AnyTool["effect"],
  grants: readonly Grant[],
  run: DecisionView,
  parts: Judging,
): Verdict {
  return parts.judge(permissionRequest(tool, input, effect, grants, run, parts));
}

type Judging = Pick<LoopParts, "judge"> & AsksBy;
type AsksBy = Pick<LoopParts, "authority"> & { clock: Pick<LoopParts["clock"], "now"> };

/** A call as the judge is asked about it. */
export function permissionRequest(
  tool: Pick<AnyTool, "name"> & { raises?: string | undefined },
  input: unknown,
  effect: AnyTool["effect"],
  grants: readonly Grant[],
  run: DecisionView,
  parts: AsksBy,
): PermissionRequest {
  const { definition, state } = run;
  const { permissions, workspace, mergesInto, ancestors = [] } = state.start!;
  const above = ancestors.map(({ agent, ask, deny }) => ({
    source: `ancestor ${agent}`,
    rules: { allow: [], ask, deny },
  }));
  const own = { source: `agent ${definition.name}`, rules: { allow: [], ...definition.permissions } };
  const given = permissions ? [{ source: "run", rules: permissions }] : [];
  // A message starts runs that know nothing of the fork.
  const forked = state.start!.effects === "ask" && (effect === "unsafe" || reachesOthers(tool.name));
  return {
    tool: tool.name,
    input,
    effect,
    gate: isLoops(tool.name) ? { ...definition.tools, allow: undefined } : definition.tools,
    ancestors: [own, ...above],
    authority: [...parts.authority(), ...given],
    grants: forked ? grants.filter(({ inTree }) => inTree) : grants,
    forked,
    workspace,
    mergesInto,
    taint: { ...state.taint, raises: tool.raises },
    now: parts.clock.now(),
  };
}

/** What the loop offers by itself stands on no agent's list; what a list denies holds all the same. */
const isLoops = (tool: string): boolean => tool === DELEGATE || (isLoopTool(tool) && !mustBeListed(tool));

/** What people have granted: in this run, for the trees that it stands in, and for good. */
export async function currentGrants(run: RunJournal, parts: LoopParts): Promise<Grant[]> {
  const { ancestors = [], rootRunId } = run.state.start!;
  const line = [...ancestors.map(({ runId }) => runId), run.runId];
  // A fork of a child has ancestors that are of another tree.
  const inTree = new Set(line.slice(Math.max(0, line.indexOf(rootRunId))));
  // Not from the fold: what was revoked still stands in the journal that it was given in.
  const standing = (await parts.store.grants()).filter(
    ({ scope, runId }) => scope === "always" || line.includes(runId),
  );
  return [
    ...standing.map((grant) => ({ ...grant, inTree: inTree.has(grant.runId) })),
    ...run.state.grants.filter(({ scope }) => scope === "run").map((grant) => ({ ...grant, inTree: true })),
  ];
}

export async function previewCall(tool: AnyTool, input: unknown, run: RunJournal): Promise<Preview> {
  if (!tool.preview) return { text: JSON.stringify(input, null, 2) };
  return tool.preview(input, { workspace: run.state.start!.workspace });
}

/** A shell command that is judged read-only may run again like any other read. */
export function callEffect(
  tool: AnyTool,
  input: unknown,
  parts: Pick<LoopParts, "judgeShell">,
): AnyTool["effect"] {
  const command = (input as { command?: unknown } | null)?.command;
  if (tool.name !== "Bash" || typeof command !== "string") return tool.effect;
  return parts.judgeShell(command).readOnly ? "read" : tool.effect;
}

/** Where nobody is there to ask, the run's own policy answers. */
export function applyUnattendedPolicy(judged: Verdict, run: Pick<DecisionView, "state">): Verdict {
  const { attended: present, approvals } = run.state.start!;
  if (judged.verdict !== "ask" || present || approvals.unattended === "park") return judged;
  return { verdict: "deny", rule: `${UNATTENDED} ${approvals.unattended}, after ${judged.rule}` };
}
