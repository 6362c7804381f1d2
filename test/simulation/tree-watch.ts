// Checks the relations between the runs of a tree. Each commit is a transaction, and after each commit all journals must agree (J7).
// The watcher also checks that each run knows the correct state of its descendants.

import type { RunId } from "../../src/ids.ts";
import { DEFAULT_DELEGATION, type Delegation } from "../../src/journal/definition.ts";
import { type EventOf, type JournalEvent, type Payload, TERMINAL_TYPES } from "../../src/journal/events.ts";
import { applyRunRow, initialRow, type RunRow } from "../../src/projections/folds/run-row.ts";
import { totalTokens } from "../../src/projections/usage/run-usage.ts";
import { sameSpent, spentBy } from "../support/tree-invariants.ts";

interface Node {
  row: RunRow;
  start: Payload<"RUN_STARTED">;
  children: Map<RunId, { started: Payload<"CHILD_RUN_STARTED">; ended?: Payload<"CHILD_RUN_COMPLETED"> }>;
  /** Calls in progress. A run with at least one open call is working. */
  open: Set<string>;
  /** Calls whose result is recorded. */
  answered: Set<string>;
  cancelled: boolean;
  /** Whether a person has frozen the branch that starts with this run. */
  frozen: boolean;
  /** The budget of the tree after a person has raised it. Set only on the root. */
  raised: Payload<"APPROVAL_DECIDED">["limits"];
  /** Children that the run no longer waits for (F27). */
  late: Set<RunId>;
  /** Whether the run has its answer and has cancelled its children. */
  closed: boolean;
}

export class TreeWatch {
  private readonly nodes = new Map<RunId, Node>();
  private readonly delegationOf: (agent: string) => Delegation;
  private readonly concurrent: number;

  constructor(delegationOf: (agent: string) => Delegation | undefined, concurrent: number) {
    this.concurrent = concurrent;
    this.delegationOf = (agent) => delegationOf(agent) ?? DEFAULT_DELEGATION;
  }

  get runIds(): RunId[] {
    return [...this.nodes.keys()];
  }

  *committed(events: readonly JournalEvent[]): Generator<string> {
    for (const event of events) for (const problem of this.see(event)) yield `${problem}: ${nameOf(event)}`;
    for (const event of events)
      for (const problem of this.fits(event, events)) yield `${problem}: ${nameOf(event)}`;
    const touched = new Set(events.map(({ runId }) => this.nodes.get(runId)?.row.rootRunId));
    for (const node of this.nodes.values()) if (touched.has(node.row.rootRunId)) yield* this.blockers(node);
  }

  /** The checks that run immediately after each event. */
  private *see(event: JournalEvent): Generator<string> {
    if (event.type === "RUN_STARTED") return yield* this.born(event);
    const node = this.nodes.get(event.runId);
    if (!node) return yield "J7 an event of a run that was never started";
    applyRunRow(node.row, event);
    switch (event.type) {
      case "CHILD_RUN_STARTED":
        yield* this.begins(node, event.payload.trigger === "handoff");
        yield* this.startsChild(node, event.payload);
        break;
      case "MODEL_CALL_STARTED":
        yield* this.begins(node);
        yield* this.works(node, event.payload.callId);
        yield* this.spends(node);
        break;
      case "AGENT_THOUGHT":
      case "MODEL_CALL_FAILED":
        node.open.delete(event.payload.callId);
        break;
      case "TOOL_STARTED":
        yield* this.begins(node);
        yield* this.works(node, event.payload.toolCallId);
        break;
      case "RUN_SUSPENDED":
        node.open.clear();
        node.frozen = event.payload.waitingOn.frozen?.includes(event.runId) ?? false;
        break;
      case "RUN_RESUMED":
        node.frozen = false;
        break;
      case "TOOL_RESULT":
        node.open.delete(event.payload.toolCallId);
        node.answered.add(event.payload.toolCallId);
        break;
      case "CHILD_RUN_COMPLETED":
        yield* hears(node, event.payload);
        break;
      case "TIMER_FIRED":
        if (event.payload.id.startsWith("late/")) node.late.add(event.payload.id.slice("late/".length));
        break;
      case "APPROVAL_DECIDED":
        if (event.payload.decision === "approve") this.sets(node, event.payload);
        break;
      case "BUDGET_SET":
        this.sets(node, event.payload);
        break;
      case "CANCEL_REQUESTED":
        node.cancelled = true;
        this.noteClosing(event.payload);
        break;
      case "RUN_COMPLETED":
      case "RUN_FAILED":
      case "RUN_CANCELLED":
        node.open.clear();
        yield* ends(node, event);
        break;
      default:
    }
  }

  private *born({ runId, payload, ts }: EventOf<"RUN_STARTED">): Generator<string> {
    const { parentRunId, depth, rootRunId, ancestors = [] } = payload;
    if (this.nodes.has(runId)) yield "J7 started twice";
    const above = this.lineage(parentRunId);
    const edges = [...above.map(({ start }) => start), payload].filter(isDelegated).length;
    if (depth !== edges) yield `H1 depth ${depth} after ${edges} delegations`;
    if ((above[0]?.row.id ?? runId) !== rootRunId) yield "D0 in another tree than its parent";
    if (JSON.stringify(ancestors.map((one) => one.runId)) !== JSON.stringify(above.map(({ row }) => row.id)))
      yield "P12 does not know who is above it";
    const row = initialRow(runId, payload, ts);
    this.nodes.set(runId, {
      row,
      start: payload,
      children: new Map(),
      open: new Set(),
      answered: new Set(),
      cancelled: false,
      frozen: false,
      raised: {},
      late: new Set(),
      closed: false,
    });
  }

  /** I7: nothing starts below a cancelled run. D2: a run that is closing can start only a handoff. */
  private *begins(node: Node, handsOver = false): Generator<string> {
    const above = this.lineage(node.row.id).find(({ cancelled }) => cancelled);
    if (above)
      yield `I7 begun after ${above === node ? "a cancel" : `${above.row.id} above it was cancelled`}`;
    const frozen = this.lineage(node.row.id).find((each) => each.frozen);
    if (frozen) yield `BV4 begun while the branch of ${frozen.row.id} is frozen`;
    if (node.closed && !handsOver) yield "D2 goes on although its children were told that it has ended";
  }

  /** B4: the number of working runs stays within the limit. */
  private *works(node: Node, call: string): Generator<string> {
    node.open.add(call);
    const atWork = [...this.nodes.values()].filter(({ open }) => open.size > 0).length;
    if (atWork > this.concurrent) yield `B4 ${atWork} runs are at work, and ${this.concurrent} may be`;
  }

  /** D0, D1: checks the rules for attempts and limits when a child starts. */
  private *startsChild(node: Node, started: Payload<"CHILD_RUN_STARTED">): Generator<string> {
    const { key, attempt = 1, child_run_id: id } = started;
    const siblings = [...node.children.values()];
    const before = siblings.filter((other) => other.started.key === key);
    if (before.length !== attempt - 1) yield `D0 attempt ${attempt} at ${key} after ${before.length} others`;
    if (before.some(({ ended }) => ended?.result.status !== "failed"))
      yield `D0 ${key} has its child already`;
    if (node.answered.has(key)) yield `D0 ${key} has its result already`;
    node.children.set(id, { started });
    if (started.trigger !== "delegation") return;
    const { mode, maxParallel } = this.delegationOf(node.row.agent);
    const live = siblings.filter(({ ended, started }) => !ended && !node.late.has(started.child_run_id));
    const awaited = live.filter((other) => isDelegated(other.started) && other.started.awaited !== false);
    if (mode === "sequential" && live.length > 0) yield `D1 beside ${live.length} others, in sequence`;
    if (mode === "parallel" && started.awaited !== false && awaited.length >= maxParallel)
      yield `D1 beside ${awaited.length} others, at most ${maxParallel} at once`;
  }

  /** I9: the tree stays within its budget. */
  private *spends({ row }: Node): Generator<string> {
    const root = this.nodes.get(row.rootRunId);
    if (!root) return;
    const tree = { ...root.start.limits.tree, ...root.raised };
    const all = [...this.nodes.values()].filter((node) => node.row.rootRunId === row.rootRunId);
    const tokens = all.reduce((sum, node) => sum + totalTokens(node.row.usage), 0);
    const cost = all.reduce((sum, node) => sum + node.row.usage.cost, 0);
    if (tokens > (tree.maxTokens ?? Infinity))
      yield `I9 the tree has spent ${tokens} of ${tree.maxTokens} tokens`;
    if (cost > (tree.maxCost ?? Infinity) + 1e-9)
      yield `I9 the tree has spent ${cost} of ${tree.maxCost} dollars`;
  }

  private sets({ row }: Node, { scope, limits }: Payload<"APPROVAL_DECIDED" | "BUDGET_SET">): void {
    const root = this.nodes.get(row.rootRunId);
    if (root && scope === "tree" && limits) root.raised = { ...root.raised, ...limits };
  }

  private noteClosing({ via, reason }: Payload<"CANCEL_REQUESTED">): void {
    const parent = via === undefined ? undefined : this.nodes.get(via);
    if (parent && reason?.endsWith("has ended.")) parent.closed = true;
  }

  /** The checks that run after the whole transaction of an event. */
  private *fits(event: JournalEvent, commit: readonly JournalEvent[]): Generator<string> {
    const node = this.nodes.get(event.runId);
    if (!node) return;
    const parent = this.nodes.get(node.row.parentRunId ?? "");
    if (event.type === "RUN_STARTED" && parent && !parent.children.has(event.runId))
      yield "J7 no parent has started it";
    if (event.type === "CHILD_RUN_STARTED") {
      const { child_run_id: id } = event.payload;
      const born = commit.some(({ type, runId }) => type === "RUN_STARTED" && runId === id);
      if (!born) yield "J7 the child was not admitted in the same transaction";
    }
    if (event.type === "CHILD_RUN_COMPLETED") {
      const child = this.nodes.get(event.payload.child_run_id);
      if (child?.row.endedAt === undefined) yield "P6 it has not ended";
    }
    if (TERMINAL_TYPES.has(event.type) && parent && !parent.children.get(event.runId)?.ended)
      yield "P6 its parent was not told in the same transaction";
    if (TERMINAL_TYPES.has(event.type)) {
      if (!parent) yield* this.outlived(node);
      yield* this.usedBelow(node, (event as EventOf<"RUN_COMPLETED">).payload);
    }
    if (event.type === "CANCEL_REQUESTED") {
      const missed = [...this.nodes.values()].find(
        (other) =>
          !other.cancelled && other.row.endedAt === undefined && this.lineage(other.row.id).includes(node),
      );
      if (missed) yield `P7 did not reach ${missed.row.id}`;
    }
  }

  /** D2: a root ends after all its descendants. A root waits for a quarantined run, too (E5). */
  private *outlived({ row }: Node): Generator<string> {
    for (const node of this.nodes.values()) {
      if (node.row.rootRunId === row.id && node.row.endedAt === undefined)
        yield `D2 ended before ${node.row.id}`;
    }
  }

  /** B1: the usage of a tree is the sum of the usage of its runs. */
  private *usedBelow(node: Node, { tree }: Payload<"RUN_COMPLETED">): Generator<string> {
    const below = [...this.nodes.values()].filter((other) => this.lineage(other.row.id).includes(node));
    if (below.length === 1) return;
    const tokens = below.reduce((sum, { row }) => sum + row.usage.input + row.usage.output, 0);
    const told = (tree?.usage.input ?? 0) + (tree?.usage.output ?? 0);
    if (told !== tokens) yield `B1 its tree has used ${tokens} tokens, and it says ${told}`;
  }

  /** S0-61: a run that waits for descendants names all descendants that need a person. Any other run names none. */
  private *blockers(node: Node): Generator<string> {
    const { row } = node;
    const awaited = awaitedBy(row);
    if (awaited.length === 0 || row.endedAt !== undefined) return;
    const strangers = awaited.filter((id) => !node.children.has(id));
    if (strangers.length > 0) yield `I11 ${row.id} waits for ${strangers.join()}, whom it did not start`;
    const expected = awaited.flatMap((id) => this.needing(id));
    const said = row.waitingOn?.kind === "child_hitl" ? (row.waitingOn.blockers ?? []) : [];
    if (
      JSON.stringify(said) !== JSON.stringify(expected) ||
      (row.status === "suspended") !== expected.length > 0
    )
      yield `S0-61 ${row.id} is ${row.status} and names ${said.join() || "nobody"}; ${expected.join() || "nobody"} needs a person`;
  }

  private needing(runId: RunId): RunId[] {
    const row = this.nodes.get(runId)?.row;
    if (!row || row.endedAt !== undefined) return [];
    if (row.status === "suspended" && row.waitingOn?.kind !== "child_hitl") return [runId];
    return awaitedBy(row).flatMap((id) => this.needing(id));
  }

  /** The runs on the path from the root to this run. */
  private lineage(runId: RunId | undefined): Node[] {
    const node = runId === undefined ? undefined : this.nodes.get(runId);
    return node ? [...this.lineage(node.row.parentRunId), node] : [];
  }
}

/** P6, I5: a parent records the end of each child exactly once. */
function* hears(node: Node, ended: Payload<"CHILD_RUN_COMPLETED">): Generator<string> {
  const child = node.children.get(ended.child_run_id);
  if (!child) return yield `P6 ${ended.child_run_id} is none of its children`;
  if (child.ended) yield `P6 told twice of ${ended.child_run_id}`;
  if (child.started.key !== ended.key) yield "P6 told for another call";
  child.ended = ended;
}

/** D2: a run ends after its children, and reports the spending of its whole subtree. */
function* ends(
  { row, children }: Node,
  { payload }: EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED">,
) {
  for (const [id, { ended }] of children) if (!ended) yield `D2 ended before ${id}`;
  if (children.size === 0) return;
  const sum = spentBy(
    row,
    [...children.values()].flatMap(({ ended }) => ended ?? []),
  );
  if (!payload.tree || !sameSpent(payload.tree, sum))
    yield `B1 the tree's sum is ${JSON.stringify(payload.tree)} in place of ${JSON.stringify(sum)}`;
}

function awaitedBy({ waitingOn }: RunRow): readonly RunId[] {
  return FOR_CHILDREN.has(waitingOn?.kind) ? (waitingOn?.items ?? []) : [];
}

const FOR_CHILDREN: ReadonlySet<string | undefined> = new Set(["child", "handoff", "child_hitl"]);

const isDelegated = ({ trigger }: { trigger: string }): boolean => trigger === "delegation";

const nameOf = ({ runId, seq, type }: JournalEvent): string => `${runId} #${seq} ${type}`;
