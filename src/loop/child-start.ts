// What a child begins with: everything that binds its parent, and less.

import { CadreError } from "../errors.ts";
import type { Definition } from "../journal/definition.ts";
import type { Ancestor, Payload } from "../journal/events.ts";
import type { ToolCall } from "../projections/run-state.ts";
import { limitsOf } from "./admit.ts";
import type { Delegated } from "./delegation.ts";
import { hasBudget } from "./limits.ts";
import type { LoopParts } from "./parts.ts";
import type { Refused } from "./refuse-delegation.ts";
import type { RunJournal } from "./run-journal.ts";

/** The agent as its file is now, with the model that was asked for. */
export async function definitionFor(
  agent: string,
  asked: Delegated,
  run: RunJournal,
  parts: LoopParts,
): Promise<Definition | Refused> {
  try {
    const definition = await parts.findAgent(agent);
    if (asked.model === undefined)
      return definition.inheritsModel ? { ...definition, models: run.definition.models } : definition;
    const chosen = parts.chooseModel(asked.model);
    if ("problem" in chosen) return { output: chosen.problem, outcome: "error" };
    return { ...definition, models: [chosen.model] };
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return { output: `${agent} cannot be started: ${error.message}`, outcome: "error" };
  }
}

/** P12: what a child may do is what its parent may, and less: everything that binds the parent is handed down. */
export async function childStart(
  call: ToolCall,
  asked: Delegated,
  definition: Definition,
  run: RunJournal,
  parts: LoopParts,
): Promise<Payload<"RUN_STARTED">> {
  const parent = run.state.start!;
  const { attended, rootRunId, budgetRunId, sessionId, userId, workspace, approvals, permissions } = parent;
  const { criteria, contextFiles, context } = asked;
  return {
    agent: definition.name,
    definition: await parts.store.putBlob(JSON.stringify(definition)),
    kind: definition.kind,
    depth: parent.depth + 1,
    trigger: "delegation",
    task: asked.task,
    ...(context === undefined ? {} : { input: context }),
    mode: "auto",
    attended,
    rootRunId,
    ...(budgetRunId === undefined ? {} : { budgetRunId }),
    ...(run.state.hops === 0 ? {} : { hops: run.state.hops }),
    parentRunId: run.runId,
    parentKey: call.id,
    ancestors: [...(parent.ancestors ?? []), asAncestor(run)],
    ...(criteria === undefined ? {} : { criteria }),
    ...(contextFiles === undefined ? {} : { contextFiles }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(userId === undefined ? {} : { userId }),
    workspace,
    limits: childLimits(asked, definition, parent, parts),
    approvals,
    ...(permissions === undefined ? {} : { permissions }),
  };
}

function asAncestor({ runId, definition }: RunJournal): Ancestor {
  const { ask, deny } = definition.permissions;
  return { runId, agent: definition.name, ask, deny };
}

/** Its own, never beyond what was asked for, nor deeper than its parent may go; what the tree may spend is the root's. */
function childLimits(
  { maxTurns }: Delegated,
  definition: Definition,
  parent: Payload<"RUN_STARTED">,
  parts: LoopParts,
): Payload<"RUN_STARTED">["limits"] {
  const own = limitsOf({ approvalTimeout: parts.approvalTimeout, ...parts.limits }, definition.limits, {});
  const { tree, onBudget } = parent.limits;
  return {
    ...own,
    maxTurns: Math.min(own.maxTurns, maxTurns ?? Infinity),
    maxDepth: Math.min(own.maxDepth, parent.limits.maxDepth),
    tree: tree && hasBudget(tree) ? { onBudget, ...tree } : tree,
  };
}
