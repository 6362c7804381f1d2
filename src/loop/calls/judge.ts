// Judges a call and builds the event that records the verdict.
// An approval is valid only for the call, definition, permissions and files that the person saw (P5).

import type { Clock } from "../../clock.ts";
import type { Definition } from "../../journal/definition.ts";
import type { EventBody, Payload } from "../../journal/events.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { DecisionView } from "../../patterns/pattern.ts";
import type { Grant, PermissionRequest, SourcedRules, Verdict } from "../../permissions/permission.ts";
import type { HookRecord, RunState } from "../../projections/folds/run-state.ts";
import { taintToPassOn } from "../../projections/folds/taint.ts";
import type { ToolCall } from "../../projections/folds/tool-call.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { declaredTool } from "../builtin-tools/declared/index.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { taintedWrites } from "./tree-writes.ts";

export type JudgeParts = Pick<LoopParts, "judge"> & RequestParts;
type RequestParts = Pick<LoopParts, "authority"> & { clock: Pick<Clock, "now"> };

/** The tool of a call. `raises` names actions that this agent must not perform, but could make another agent perform (A67). */
type JudgedTool = Pick<AnyTool, "name"> & { raises?: string | undefined };

export function judgeCall(
  tool: JudgedTool,
  input: unknown,
  effect: AnyTool["effect"],
  grants: readonly Grant[],
  view: DecisionView,
  parts: JudgeParts,
): Verdict {
  return parts.judge(permissionRequest(tool, input, effect, grants, view, parts));
}

/** Everything that the judge needs to know about a call. */
export function permissionRequest(
  tool: JudgedTool,
  input: unknown,
  effect: AnyTool["effect"],
  grants: readonly Grant[],
  { definition, state }: DecisionView,
  parts: RequestParts,
): PermissionRequest {
  const { permissions, workspace, mergesInto, ancestors = [] } = state.start!;
  const above = ancestors.map(({ agent, ask, deny }) => ({
    source: `ancestor ${agent}`,
    rules: { allow: [], ask, deny },
  }));
  const own = { source: `agent ${definition.name}`, rules: { allow: [], ...definition.permissions } };
  const spares = permissions?.sparesProtected ? { sparesProtected: true as const } : {};
  const given = permissions ? [{ source: "run", rules: permissions, ...spares }] : [];
  const builtin = declaredTool(tool.name);
  // A message can start a run in another tree, so a fork needs approval to send a message.
  const forked = state.start!.effects === "ask" && (effect === "unsafe" || builtin?.leavesTree === true);
  // The loop itself offers built-in tools, so no agent's file has to list them. A file can still deny them.
  const isOffered = builtin !== undefined && builtin.kind !== "closing" && !builtin.listedBy;
  return {
    tool: tool.name,
    input,
    effect,
    gate: isOffered ? { ...definition.tools, allow: undefined } : definition.tools,
    ancestors: [own, ...above],
    authority: [...parts.authority(), ...given],
    skills: skillRules(definition, state.skills),
    grants: (forked ? grants.filter(({ inTree }) => inTree) : grants).map((grant) =>
      state.taintedWriteAt > 0 && state.taintedWriteAt >= (grant.at ?? 0)
        ? { ...grant, isOutdated: true }
        : grant,
    ),
    forked,
    workspace,
    mergesInto,
    taint: { sources: state.taint.sources, asks: state.taint.asks, raises: tool.raises },
    hosts: state.taint.hosts,
    now: parts.clock.now(),
  };
}

/** The rules of the loaded skills, as they were pinned with the run. A skill from an untrusted folder has no rules. */
function skillRules({ skills = [] }: Definition, loaded: ReadonlySet<string>): SourcedRules[] {
  return skills.flatMap(({ name, allowedTools = [] }) =>
    allowedTools.length > 0 && loaded.has(name)
      ? [{ source: `skill ${name}`, rules: { allow: allowedTools, ask: [], deny: [] } }]
      : [],
  );
}

/** The grants that apply to this run: grants for this run, for a tree that contains the run, and permanent grants. */
export async function currentGrants(run: RunJournal, { store }: Pick<LoopParts, "store">): Promise<Grant[]> {
  const { ancestors = [], rootRunId } = run.state.start!;
  const line = [...ancestors.map(({ runId }) => runId), run.runId];
  // The ancestors of a forked child belong to another tree.
  const inTree = new Set(line.slice(Math.max(0, line.indexOf(rootRunId))));
  // Grants are read from the store, because a journal does not show that a grant was revoked.
  const storedGrants = (await store.inbox.grants()).filter(
    ({ scope, runId }) => scope === "always" || line.includes(runId),
  );
  const own = run.state.grants
    .filter(({ scope }) => scope === "run")
    .map((grant) => ({ ...grant, inTree: true }));
  if (storedGrants.length === 0) return own;
  const latest = Math.max(0, ...(await taintedWrites(run, store)).map(({ at }) => at));
  const stored = storedGrants.map((grant) => ({
    ...grant,
    inTree: inTree.has(grant.runId),
    isOutdated: latest >= grant.at,
  }));
  return [...stored, ...own];
}

/** The verdict on a call, after the answer of its hooks and the policy for unattended runs. */
export const settleVerdict = (judged: Verdict, call: ToolCall, view: Pick<DecisionView, "state">): Verdict =>
  applyUnattendedPolicy(applyHookAnswer(judged, call, view.state), view);

/**
 * Applies the recorded answer of a call's hooks to its verdict. A replay or a restart runs no hook again.
 * A hook can deny a call or require approval. It can allow a call only if the default policy asks, never if a rule asks or denies (HK4).
 */
export function applyHookAnswer(
  judged: Verdict,
  call: ToolCall,
  { hooks }: Pick<RunState, "hooks">,
): Verdict {
  const answer = answerFor(call, hooks);
  if (answer?.decision === undefined || judged.verdict === "deny") return judged;
  const by = { rule: `hook ${answer.reason ?? ""}`.trim(), basis: "hook" as const };
  if (answer.decision === "deny") return { ...judged, ...by, verdict: "deny" };
  if (answer.decision === "ask")
    return judged.verdict === "ask" ? judged : { ...judged, ...by, verdict: "ask" };
  return judged.verdict === "ask" && judged.basis === "default"
    ? { ...judged, ...by, verdict: "allow" }
    : judged;
}

const answerFor = (call: ToolCall, hooks: RunState["hooks"]): HookRecord | undefined =>
  hooks.get(beforeCall(call)) ?? hooks.get(`PreToolUse/${call.id}`);

/** Id of the moment before a call. If a person edits the call, it gets another id, so the hooks run again for the edited call. */
export const beforeCall = (call: ToolCall): string =>
  isEdited(call) ? `PreToolUse/${call.id}/edited` : `PreToolUse/${call.id}`;

const isEdited = ({ decision, edit }: ToolCall): boolean =>
  decision?.decision === "edit" || edit !== undefined;

/** Denies a call that needs approval in an unattended run, unless the run's policy is to wait for a person. */
export function applyUnattendedPolicy(judged: Verdict, { state }: Pick<DecisionView, "state">): Verdict {
  const { attended, approvals } = state.start!;
  if (judged.verdict !== "ask" || attended || approvals.unattended === "park") return judged;
  return {
    ...judged,
    verdict: "deny",
    rule: `unattended ${approvals.unattended}, after ${judged.rule}`,
    unattended: approvals.unattended,
  };
}

/** TOOL_PROPOSED for a call that the loop performs itself, or that a program performs. */
export function proposalEvent(
  call: ToolCall,
  judged: Omit<Payload<"TOOL_PROPOSED">, "toolCallId">,
  preview: string,
  run: RunJournal,
  parts: Pick<LoopParts, "digest" | "authority" | "clock">,
): EventBody {
  const base = { toolCallId: call.id, ...judged };
  if (judged.verdict !== "ask") return { type: "TOOL_PROPOSED", payload: base };
  const payload: Payload<"TOOL_PROPOSED"> = {
    ...base,
    hash: approvalHash(call.name, call.input, undefined, run, parts),
    preview,
    ...itemTerms(run, parts),
  };
  return { type: "TOOL_PROPOSED", payload };
}

/** The time at which an inbox item expires, and the untrusted sources that the run has read. */
export function itemTerms(
  { state }: RunJournal,
  { clock }: Pick<LoopParts, "clock">,
): Pick<Payload<"TOOL_PROPOSED">, "expiresAt" | "untrusted"> {
  const { attended, approvals, limits } = state.start!;
  const { approvalTimeout } = limits;
  const expires = attended && approvals.onTimeout !== "wait" && approvalTimeout !== undefined;
  return {
    ...(expires ? { expiresAt: clock.now() + approvalTimeout } : {}),
    ...taintToPassOn(state.taint),
  };
}

/** A hash of everything that the person approves or rejects. */
export function approvalHash(
  name: string,
  input: unknown,
  fingerprint: string | undefined,
  run: RunJournal,
  { digest, authority }: Pick<LoopParts, "digest" | "authority">,
): string {
  const rules = digest(JSON.stringify(authority()));
  return digest(JSON.stringify([name, input, fingerprint ?? null, run.state.start!.definition, rules]));
}

/**
 * A shell command that was judged read-only can be repeated after a crash, like any other call that only reads.
 * `afterCrash` is set if the command can be repeated although it might change something. Permissions do not depend on it.
 */
export function callEffect(
  tool: AnyTool,
  input: unknown,
  { judgeShell }: Pick<LoopParts, "judgeShell">,
): Pick<Payload<"TOOL_PROPOSED">, "effect" | "afterCrash"> {
  const { effect, target } = tool;
  if (target?.kind !== "command" || target.typed) return { effect };
  const command = (input as Record<string, unknown> | null)?.[target.field];
  if (typeof command !== "string") return { effect };
  const { readOnly, afterCrash } = judgeShell(command);
  return readOnly ? { effect: "read" } : { effect, ...omitUndefined({ afterCrash }) };
}
