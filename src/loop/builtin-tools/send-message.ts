// Performs `send_message`. The sender does not wait for the receiver. If the message starts a run, the sender's budget pays for that run (D5).

import { CadreError, isTemporary } from "../../errors.ts";
import { childRunId } from "../../ids.ts";
import { type Definition, poolIn, type Rules, untrustedFiles } from "../../journal/definition.ts";
import type { Payload } from "../../journal/events.ts";
import { markUntrusted } from "../../journal/untrusted.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { misfit } from "../../patterns/events.ts";
import { taintForNewRun, taintToPassOn } from "../../projections/folds/taint.ts";
import { effectiveInput, receiptField, type ToolCall } from "../../projections/folds/tool-call.ts";
import { messageEscalation } from "../calls/escalation.ts";
import { runsLimit } from "../children/check-delegation.ts";
import { limitsOf } from "../commands/admit.ts";
import { treeBudgetOf } from "../drive/limits.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { loopTool, resultOf } from "./builtin-tool.ts";
import { sendMessage as declared, MessageInput } from "./declared/send-message.ts";

type MailParts = Pick<
  LoopParts,
  "store" | "digest" | "ids" | "checkPrices" | "findAgent" | "pinInstructions" | "limits" | "approvalTimeout"
>;

const MAX_HOPS = 8;

export const sendMessage = loopTool(declared, { perform: send, escalation: messageEscalation });

async function send(call: ToolCall, run: RunJournal, parts: MailParts): Promise<void> {
  const letter = await letterOf(call, run, parts);
  if (typeof letter === "string") return run.record(resultOf(call, letter, true));
  const payload = { toolCallId: call.id, ...receiptField(call, parts) };
  if (await run.beginWork([{ type: "TOOL_STARTED", payload }])) return;
  const { runId, joined, refused } = await parts.store.runs.say(letter);
  if (refused) return run.record(resultOf(call, TREE_IS_FULL, true));
  const status = joined ? "delivered to a run that is under way" : "delivered: it starts a run";
  run.record(resultOf(call, { to: letter.agent, run_id: runId, status }));
}

const TREE_IS_FULL = "Not sent: this tree has reached its limit of runs (tree.maxRuns).";

/** The message for the store, or a sentence that says why the message cannot be sent. */
async function letterOf(call: ToolCall, run: RunJournal, parts: MailParts) {
  const parsed = MessageInput.safeParse(effectiveInput(call));
  if (!parsed.success) return misfit(call.name, parsed.error);
  const hops = run.state.hops + 1;
  if (hops > MAX_HOPS) return `Not sent: this message has come through ${MAX_HOPS} agents already.`;
  const target = await targetOf(parsed.data.to, run, parts);
  if (typeof target === "string") return target;
  const limits = { ...limitsOf(target, parts), tree: treeBudgetOf(run.state) };
  const { problem } = await parts.checkPrices(target, limits);
  if (problem !== undefined) return `Not sent: ${problem}`;
  const { message } = parsed.data;
  const { sessionId = run.state.start!.rootRunId } = run.state.start!;
  const runId = childRunId(parts.digest, run.runId, call.id);
  const from = run.definition.name;
  const text = `Message from ${from}:\n${markUntrusted(parts.ids.nonce(), from, message)}`;
  return {
    sessionId,
    agent: target.name,
    context: {
      id: `${run.runId}/${call.id}`,
      source: "agent" as const,
      from,
      text,
      hops,
      ...taintToPassOn(run.state.taint),
    },
    runId,
    maxRuns: runsLimit(run.state.start!.limits),
    start: await startOf(target, { runId, task: text, sessionId, hops }, run, parts),
  };
}

async function targetOf(
  name: string,
  run: RunJournal,
  { findAgent, pinInstructions }: Pick<LoopParts, "findAgent" | "pinInstructions">,
): Promise<Definition | string> {
  try {
    const definition = await findAgent(name);
    if (definition.kind !== "main")
      return `Not sent: ${definition.name} is a subagent, and takes no messages.`;
    if (definition.delegable === false) return `Not sent: ${definition.name} is for people only.`;
    if (definition.name === run.definition.name) return "Not sent: that is yourself.";
    return await pinInstructions(definition);
  } catch (error) {
    if (!(error instanceof CadreError) || isTemporary(error)) throw error;
    return `Not sent: ${error.message}`;
  }
}

/** The start event of a root run that has the sender's restrictions and budget. */
async function startOf(
  definition: Definition,
  { runId, task, sessionId, hops }: { runId: string; task: string; sessionId: string; hops: number },
  run: RunJournal,
  parts: MailParts,
): Promise<Payload<"RUN_STARTED">> {
  const { attended, userId, workspace, environment, mergesInto, approvals, rootRunId, budgetRunId } =
    run.state.start!;
  return {
    agent: definition.name,
    definition: await parts.store.blobs.put(JSON.stringify(definition)),
    kind: "main",
    depth: 0,
    trigger: "message",
    from: run.definition.name,
    task,
    mode: "auto",
    attended,
    rootRunId: runId,
    budgetRunId: budgetRunId ?? rootRunId,
    hops,
    sessionId,
    ...omitUndefined({ userId, mergesInto, environment }),
    workspace,
    ...poolIn(definition),
    limits: { ...limitsOf(definition, parts), tree: treeBudgetOf(run.state) },
    approvals,
    permissions: inheritedRules(run),
    ...taintForNewRun(run.state.taint, untrustedFiles(definition)),
  };
}

/** P12: the rules of the sender and of its ancestors. The run that the message starts inherits these rules. */
function inheritedRules({ definition, state }: RunJournal): Rules {
  const { permissions, ancestors = [] } = state.start!;
  const bound = [...ancestors, definition.permissions];
  return {
    ...omitUndefined({ preset: permissions?.preset }),
    allow: permissions?.allow ?? [],
    ask: [...(permissions?.ask ?? []), ...bound.flatMap(({ ask }) => ask)],
    deny: [...(permissions?.deny ?? []), ...bound.flatMap(({ deny }) => deny)],
  };
}
