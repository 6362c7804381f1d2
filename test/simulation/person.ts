// The people in a simulation. `act` plays a careless person, who does anything at any time, even twice or too late.
// `help` answers the open items. Both functions check what really happened before they decide an unknown outcome.

import { CadreError } from "../../src/errors.ts";
import { approvalId, type RunId } from "../../src/ids.ts";
import { freezeBranch, setBudget, thawBranch } from "../../src/loop/commands/branches.ts";
import { sendMessage } from "../../src/loop/commands/messages.ts";
import {
  type CommandParts,
  cancelRun,
  type Decision,
  decideApproval,
  decideOutcome,
  pauseRun,
  resumeRun,
} from "../../src/loop/commands/person-commands.ts";
import type { LoopParts } from "../../src/loop/parts.ts";
import { type ApprovalItem, openItems } from "../../src/projections/folds/approvals.ts";
import { type RunState, runStateProjection } from "../../src/projections/folds/run-state.ts";
import { fold } from "../../src/projections/projection.ts";
import { grantFor, toolFacts } from "../support/judge.ts";
import { deskStore } from "./stores.ts";
import type { Surroundings } from "./surroundings.ts";

const REFUSALS = new Set([
  "RUN_TERMINAL",
  "CONFLICT",
  "ALREADY_DECIDED",
  "STALE",
  "UNPROCESSABLE",
  "NOT_FOUND",
]);

export class Person {
  private readonly world: Surroundings;
  private readonly parts: CommandParts;

  constructor(world: Surroundings, parts: LoopParts) {
    this.world = world;
    const expandCommand = async (text: string) => ({ text });
    this.parts = {
      ...parts,
      store: deskStore(world),
      grantFor,
      toolFacts,
      expandCommand,
      wake: async () => {},
    };
  }

  state(runId: RunId): RunState {
    return fold(runStateProjection, this.world.watch.journal(runId));
  }

  /** Does something at random, even if it makes no sense. */
  async act(runId: RunId): Promise<string> {
    const { random, options } = this.world;
    const items = openItems(this.state(runId));
    // Freezes branches only in every fifth seed. Nothing happens in a frozen branch, so freezing hides problems.
    const branches = options.seed % 5 === 0 ? 1 : 0;
    const action = random.weighted([
      ["decide", items.length > 0 ? 20 : 0],
      ["message", 2],
      ["pause", options.pauses],
      ["resume", 3],
      ["freeze", branches / 2],
      ["thaw", 2 * branches],
      ["set the budget", branches / 4],
      ["cancel", options.cancels],
      ["decide what is not asked", 0.5],
    ]);
    switch (action) {
      case "decide":
        return this.decide(random.pick(items), true);
      case "message":
        return this.attempt(
          `message to ${runId}`,
          sendMessage(runId, "and do not forget", "ann", this.parts),
        );
      case "pause":
        return this.attempt(`pause ${runId}`, pauseRun(runId, "ann", this.parts));
      case "resume":
        return this.attempt(`resume ${runId}`, resumeRun(runId, "ann", this.parts));
      case "freeze":
        return this.attempt(`freeze ${runId}`, freezeBranch(runId, "ann", this.parts));
      case "thaw":
        return this.attempt(`thaw ${runId}`, thawBranch(runId, "ann", this.parts));
      case "set the budget": {
        const limits = { maxTokens: random.between(10_000, 60_000) };
        const scope = random.chance(0.5) ? ("tree" as const) : undefined;
        return this.attempt(
          `set the budget of ${runId}`,
          setBudget(runId, { limits, scope }, "ann", this.parts),
        );
      }
      case "cancel":
        return this.attempt(`cancel ${runId}`, cancelRun(runId, "ann", undefined, this.parts));
      default: {
        const id = approvalId(runId, random.pick(["m1.0", "m2.1", "budget/1", "loop/1"]));
        return this.attempt(`approve ${id}`, decideApproval(id, { decision: "approve" }, "eve", this.parts));
      }
    }
  }

  /** Answers a run's open items. Releases the run if it is frozen, paused or quarantined. Returns false if there was nothing to do. */
  async help(runId: RunId): Promise<boolean> {
    const state = this.state(runId);
    const kind = state.waitingOn?.kind;
    if (state.cancel) return false;
    for (const top of state.waitingOn?.frozen ?? [])
      await this.attempt(`thaw ${top}`, thawBranch(top, "bob", this.parts));
    if (state.waitingOn?.frozen) return true;
    if (state.status === "suspended" && (kind === "paused" || kind === "quarantine")) {
      await this.attempt(`resume ${runId}`, resumeRun(runId, "bob", this.parts));
      return true;
    }
    const items = openItems(state);
    for (const item of items) await this.decide(item, false);
    return items.length > 0;
  }

  private async decide(item: ApprovalItem, careless: boolean): Promise<string> {
    const { random } = this.world;
    if (item.kind === "outcome") return this.decideUnknown(item);
    const decision = careless ? this.anyDecision(item) : this.helpfulDecision(item);
    const what = `${decision.decision} ${item.id}`;
    const first = this.attempt(what, decideApproval(item.id, decision, "ann", this.parts));
    if (!careless || !random.chance(0.15)) return first;
    const other: Decision = random.chance(0.5) ? decision : { decision: "reject", note: "no" };
    const second = this.attempt(
      `${other.decision} at the same time`,
      decideApproval(item.id, other, "eve", this.parts),
    );
    return `${await first}; ${await second}`;
  }

  private anyDecision(item: ApprovalItem): Decision {
    const { random } = this.world;
    if (item.kind === "budget") {
      const limits = {
        maxTokens: random.between(1_000, 40_000),
        maxCost: random.between(1_000, 40_000) / 1_000_000,
      };
      return random.chance(0.6) ? { decision: "approve", limits } : { decision: "reject" };
    }
    if (item.kind === "loop") return { decision: random.chance(0.5) ? "approve" : "reject" };
    return random.weighted<Decision>([
      [{ decision: "approve" }, 6],
      [{ decision: "approve", scope: random.pick(["once", "run", "tree", "always"]) }, 2],
      [{ decision: "edit", input: editInput(item) }, 2],
      [{ decision: "edit", input: { what: 7 } }, 1],
      [{ decision: "reject", note: "rather not" }, 2],
    ]);
  }

  /** Decides an unknown outcome truthfully: "happened" only if the effect really took place. */
  private decideUnknown(item: ApprovalItem): Promise<string> {
    const { random, watch } = this.world;
    const { runId, callId } = item;
    const done = watch.effects.some((effect) => effect.runId === runId && effect.callId === callId);
    const verdict = done ? "happened" : random.pick(["run_again", "fail"] as const);
    return this.attempt(
      `${verdict} ${item.id}`,
      decideOutcome(runId, callId!, { verdict }, "ann", this.parts),
    );
  }

  /** Ignores refusals, and reports any other error as a problem. */
  private async attempt(what: string, wish: Promise<unknown>): Promise<string> {
    try {
      await wish;
      return what;
    } catch (error) {
      if (error instanceof CadreError && REFUSALS.has(error.code)) return `${what}: refused, ${error.code}`;
      this.world.watch.problem(`a person could not ${what}: ${(error as Error).stack}`);
      return `${what}: failed`;
    }
  }

  /** Approves every call. Raises the budget of a run only a few times. */
  private helpfulDecision({ kind, runId }: ApprovalItem): Decision {
    if (kind === "tool") return { decision: "approve" };
    const raised = [...this.state(runId).decisions.keys()].filter((itemId) => itemId.startsWith("budget/"));
    if (kind !== "budget" || raised.length > 5) return { decision: "reject" };
    return { decision: "approve", limits: { maxTokens: 1_000_000, maxCost: 100 } };
  }
}

/** Edits an input in a way that the tool accepts: a new task for a delegation, a new reason for a router's choice, otherwise a new text. */
function editInput({ itemId, input }: ApprovalItem): object {
  const given = input as { task?: string; reason?: string } | undefined;
  const text = `edited ${itemId}`;
  if (given?.task !== undefined) return { ...given, task: text };
  return given?.reason === undefined ? { what: text } : { ...given, reason: text };
}
