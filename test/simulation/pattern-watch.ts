// Checks the rules of patterns: when each child can start, and which answer becomes the result.
// A run that has handed off its work must do nothing more.
// `team-watch.ts` checks the discussions of teams.
// The checks use only committed events and the agents' files. They never use the code of the patterns.

import type { RunId } from "../../src/ids.ts";
import type { EventOf, JournalEvent, Payload } from "../../src/journal/events.ts";
import type { Patterns } from "./options.ts";
import { isSettled, type Nodes, type PatternNode } from "./pattern-node.ts";
import { TeamWatch } from "./team-watch.ts";

export class PatternWatch {
  private readonly nodes = new Map<RunId, PatternNode>();
  private readonly patternsOf: (agent: string) => Patterns | undefined;
  private readonly teams = new TeamWatch(this.nodes);

  constructor(patternsOf: (agent: string) => Patterns | undefined) {
    this.patternsOf = patternsOf;
  }

  *committed(events: readonly JournalEvent[]): Generator<string> {
    for (const event of events) for (const problem of this.see(event)) yield `${problem}: ${nameOf(event)}`;
    yield* this.teams.committed(events);
  }

  private *see(event: JournalEvent): Generator<string> {
    if (event.type === "RUN_STARTED") return yield* this.born(event);
    const node = this.nodes.get(event.runId);
    if (!node) return;
    switch (event.type) {
      case "CHILD_RUN_STARTED":
        yield* begins(node, event.payload);
        node.children.push({ started: event.payload });
        break;
      case "CHILD_RUN_COMPLETED": {
        const child = node.children.find(
          ({ started }) => started.child_run_id === event.payload.child_run_id,
        );
        if (child) child.ended = event.payload;
        break;
      }
      case "MODEL_CALL_STARTED":
        yield* thinks(node);
        break;
      case "TOOL_STARTED":
        if (childrenBy(node, "handoff").length > 0) yield "H2 works after it has handed its work over";
        break;
      case "TIMER_FIRED":
        if (event.payload.id.startsWith(LATE)) node.late.add(event.payload.id.slice(LATE.length));
        break;
      case "SYSTEM_ERROR":
        if (event.payload.code === "NOT_STARTED") node.unstarted.add(event.payload.id);
        break;
      case "RUN_COMPLETED":
      case "RUN_FAILED":
      case "RUN_CANCELLED":
        yield* answers(node, event);
        break;
      default:
    }
  }

  private *born({ runId, payload }: EventOf<"RUN_STARTED">): Generator<string> {
    const { agent, rootRunId } = payload;
    const asks = isAlone(payload, this.nodes) ? {} : (this.patternsOf(agent) ?? {});
    const tree = [...this.nodes.values()].filter(({ start }) => start.rootRunId === rootRunId);
    const most = this.nodes.get(rootRunId)?.start.limits.tree?.maxRuns ?? Infinity;
    if (tree.length > 0 && tree.length >= most) yield `K9 one run more than ${most} in a tree`;
    const node = { runId, start: payload, asks, children: [], late: new Set<RunId>() };
    this.nodes.set(runId, { ...node, unstarted: new Set() });
  }
}

const LATE = "late/";

/** True if the run ignores the patterns in its file, because it is a draft, or because its agent judges its own drafts. */
function isAlone({ parentRunId, parentKey, agent, trigger }: Payload<"RUN_STARTED">, nodes: Nodes): boolean {
  if (trigger !== "best_of") return false;
  return parentKey !== "judge" || nodes.get(parentRunId!)?.start.agent === agent;
}

const childrenBy = ({ children }: PatternNode, trigger: string): PatternNode["children"] =>
  children.filter(({ started }) => started.trigger === trigger);

/** F26: each pattern slot is filled only once. A run that has handed off its work starts no other child. */
function* begins(node: PatternNode, { trigger, key, attempt = 1 }: Payload<"CHILD_RUN_STARTED">) {
  const { asks, children } = node;
  const same = children.filter(({ started }) => started.key === key && (started.attempt ?? 1) === attempt);
  if (same.length > 0) yield `H1 ${key} is filled twice`;
  const owners = childrenBy(node, "handoff");
  if (owners.some(({ ended }) => !ended)) yield "F26 beside the one who has its work";
  if (owners.length > 0 && trigger !== "handoff")
    yield "H2 starts somebody after it has handed its work over";
  if (trigger === "handoff" && owners.length > (asks.handoff?.onFailure === "retry" ? 1 : 0))
    yield `F26 owner ${owners.length + 1} of its work`;
  if (childrenBy(node, "route").length > 0 && trigger !== "handoff")
    yield "H3 starts somebody after its choice";
  if (trigger === "best_of" && key === "judge") {
    const open = Array.from({ length: asks.bestOf!.n }, (_, index) => `draft/${index + 1}`).filter(
      (place) => !isSettled(node, place),
    );
    if (open.length > 0) yield `H5 judged before ${open.join()}`;
  }
}

/** H2-H5: a run makes no model calls after it has handed off its work. A run with advisors waits for their answers before its first model call. */
function* thinks(node: PatternNode): Generator<string> {
  const { asks } = node;
  if (childrenBy(node, "handoff").length > 0) yield "H2 thinks after it has handed its work over";
  if (childrenBy(node, "route").length > 0) yield "H3 thinks after its choice";
  if (asks.bestOf) yield "H5 thinks itself, and not its drafts";
  const open = (asks.advisors?.agents ?? []).filter((agent) => !isSettled(node, `advisor/${agent}`));
  if (open.length > 0) yield `H4 thinks before ${open.join()} has advised it`;
}

/** A run that has handed off its work returns the answer of the run that did the work. */
function* answers(node: PatternNode, event: EventOf<"RUN_COMPLETED" | "RUN_FAILED" | "RUN_CANCELLED">) {
  const owner = childrenBy(node, "handoff").at(-1) ?? childrenBy(node, "route").at(-1);
  const { summary, stopReason } = event.payload;
  if (!owner?.ended?.success || event.type === "RUN_CANCELLED" || node.unstarted.has("handoff")) return;
  if (event.type !== "RUN_COMPLETED") yield "H2 fails although whoever had its work has done it";
  else if (summary !== owner.ended.summary) yield "H2 another answer than that of whoever had its work";
  if (stopReason !== "handed_off" && stopReason !== "routed") yield `H2 ends by ${stopReason}`;
}

const nameOf = ({ runId, seq, type }: JournalEvent): string => `${runId} #${seq} ${type}`;
