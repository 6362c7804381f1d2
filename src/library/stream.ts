// What happens in a run and in all runs below it, as typed parts in order: first what the journals contain, then live.

import { toolCallId } from "../ids.ts";
import type { Delta } from "../journal/deltas.ts";
import { isTurn, type JournalEvent, TERMINAL_TYPES } from "../journal/events.ts";
import { reasoningOf, textOf, toolCallsOf } from "../journal/message.ts";
import type { RuntimeAssembly } from "../runtime/assembly.ts";
import { type ApprovalRequest, openRequests } from "./approvals.ts";

interface Origin {
  runId: string;
  agent: string;
  /** Number of the event in the run's journal. Absent if the part is not recorded. */
  seq?: number;
}

export type RunPart = Origin &
  (
    | { type: "started"; task: string; parentRunId: string | undefined }
    /**
     * A piece of text while the model writes. It is not recorded, so a later stream does not repeat it.
     * If the call fails and is tried again, the text of the next `attempt` replaces this one.
     */
    | { type: "text-delta"; turnId: string; attempt: number; text: string }
    | { type: "reasoning-delta"; turnId: string; attempt: number; text: string }
    /** Everything that the model wrote in a turn. */
    | { type: "text"; turnId: string; text: string }
    | { type: "reasoning"; turnId: string; text: string }
    | { type: "tool-call"; turnId: string; callId: string; tool: string; input: unknown }
    /** Output of a tool while it runs. It is not recorded. */
    | { type: "tool-output-delta"; callId: string; text: string }
    | { type: "tool-result"; callId: string; tool: string; output: unknown; isError: boolean }
    /** A person, or your program, must decide something. */
    | { type: "approval"; request: ApprovalRequest }
    /** The run waits: `provider`, `child`, `approval`, `timer` … Until `until`, if that is known. For `provider`, `detail` is its error. */
    | { type: "waiting"; kind: string; until: number | undefined; detail: string | undefined }
    | { type: "ended"; status: "completed" | "failed" | "cancelled"; summary: string }
  );

const PAGE = 1_000;

/**
 * Ends when the root run has ended, or when the returned iterator is closed.
 * @internal
 */
export async function* streamTree(
  rootId: string,
  assembly: RuntimeAssembly,
  closed: AbortSignal,
): AsyncGenerator<RunPart, void, undefined> {
  const { store } = assembly;
  const queue = createQueue<JournalEvent | Delta>(closed);
  const stopCommits = store.journal.onCommit((events) => queue.push(...events));
  const stopDeltas = assembly.onDelta((delta) => queue.push(delta));
  const tree = createTree(rootId, assembly);
  try {
    let position = 0;
    for (let page = await store.journal.readAll(0, PAGE, { root: rootId }); page.length > 0; ) {
      for (const event of page) {
        yield* tree.partsOf(event, "earlier");
        position = event.position;
        if (endsTree(event, rootId)) return;
      }
      page = await store.journal.readAll(position, PAGE, { root: rootId });
    }
    for await (const item of queue) {
      if (!("seq" in item)) {
        yield* tree.partsOfDelta(item);
      } else if (item.position > position) {
        yield* tree.partsOf(item, "live");
        if (endsTree(item, rootId)) return;
      }
    }
  } finally {
    stopCommits();
    stopDeltas();
  }
}

const endsTree = ({ runId, type }: JournalEvent, rootId: string): boolean =>
  runId === rootId && TERMINAL_TYPES.has(type);

/** Knows the runs of one tree, and translates their events. */
function createTree(rootId: string, assembly: RuntimeAssembly) {
  const agents = new Map<string, string>();
  const tools = new Map<string, string>();
  /** The model calls under way. The first words of a call that began before this stream are lost, so its deltas are left out. */
  const turns = new Map<string, "live" | "earlier" | "internal">();
  const announced = new Set<string>();

  async function* requests(runId: string): AsyncGenerator<RunPart> {
    for (const request of await openRequests({ run: runId }, assembly)) {
      if (announced.has(request.id)) continue;
      announced.add(request.id);
      yield { type: "approval", runId, agent: request.agent, request };
    }
  }

  async function* partsOf(event: JournalEvent, begun: "live" | "earlier"): AsyncGenerator<RunPart> {
    const { runId } = event;
    if (event.type === "RUN_STARTED" && event.payload.rootRunId === rootId)
      agents.set(runId, event.payload.agent);
    const agent = agents.get(runId);
    if (agent === undefined) return;
    const origin = { runId, agent, seq: event.seq };
    switch (event.type) {
      case "RUN_STARTED":
        yield {
          ...origin,
          type: "started",
          task: event.payload.task,
          parentRunId: event.payload.parentRunId,
        };
        return;
      case "MODEL_CALL_STARTED":
        turns.set(`${runId}/${event.payload.callId}`, isTurn(event.payload.purpose) ? begun : "internal");
        return;
      case "AGENT_THOUGHT": {
        const call = `${runId}/${event.payload.callId}`;
        const isInternal = turns.get(call) === "internal";
        turns.delete(call);
        if (isInternal) return;
        const { content, callId: turnId } = event.payload;
        const [reasoning, text] = [reasoningOf(content), textOf(content)];
        if (reasoning !== "") yield { ...origin, type: "reasoning", turnId, text: reasoning };
        if (text !== "") yield { ...origin, type: "text", turnId, text };
        for (const [index, { toolName, input }] of toolCallsOf(content).entries()) {
          const callId = toolCallId(turnId, index);
          tools.set(`${runId}/${callId}`, toolName);
          yield { ...origin, type: "tool-call", turnId, callId, tool: toolName, input };
        }
        return;
      }
      case "MODEL_CALL_FAILED": {
        const { retryAt: until, message: detail } = event.payload;
        if (until !== undefined) yield { ...origin, type: "waiting", kind: "provider", until, detail };
        return;
      }
      case "TOOL_PROPOSED":
        if (event.payload.verdict === "ask") yield* requests(runId);
        return;
      case "TOOL_RESULT": {
        const { toolCallId: callId, output, isError = false } = event.payload;
        const tool = tools.get(`${runId}/${callId}`) ?? "";
        tools.delete(`${runId}/${callId}`);
        yield { ...origin, type: "tool-result", callId, tool, output, isError };
        return;
      }
      case "CHILD_RUN_COMPLETED": {
        const { key: callId, summary, success } = event.payload;
        const tool = tools.get(`${runId}/${callId}`);
        tools.delete(`${runId}/${callId}`);
        // If the delegation did not wait, its result was sent already.
        if (tool !== undefined)
          yield { ...origin, type: "tool-result", callId, tool, output: summary, isError: !success };
        return;
      }
      case "RUN_SUSPENDED": {
        const { kind, until, detail } = event.payload.waitingOn;
        yield* requests(runId);
        yield { ...origin, type: "waiting", kind, until, detail };
        return;
      }
      case "RUN_COMPLETED":
      case "RUN_FAILED":
      case "RUN_CANCELLED": {
        const status = ENDS[event.type];
        yield { ...origin, type: "ended", status, summary: summaryOf(event) };
        return;
      }
      default:
    }
  }

  async function* partsOfDelta(delta: Delta): AsyncGenerator<RunPart> {
    const { type, runId, callId, attempt, text } = delta;
    const agent = agents.get(runId);
    if (agent === undefined) return;
    if (type === "tool-output.delta") {
      yield { runId, agent, type: "tool-output-delta", callId, text };
    } else if (turns.get(`${runId}/${callId}`) === "live") {
      const part = type === "text.delta" ? "text-delta" : "reasoning-delta";
      yield { runId, agent, type: part, turnId: callId, attempt, text };
    }
  }

  return { partsOf, partsOfDelta };
}

const ENDS = { RUN_COMPLETED: "completed", RUN_FAILED: "failed", RUN_CANCELLED: "cancelled" } as const;

const summaryOf = (event: Extract<JournalEvent, { type: keyof typeof ENDS }>): string =>
  event.type === "RUN_COMPLETED" ? event.payload.result.summary : event.payload.summary;

/** Queues the parts that arrive while the reader is busy. */
function createQueue<Item>(closed: AbortSignal) {
  const items: Item[] = [];
  let wake: () => void = () => {};
  closed.addEventListener("abort", () => wake(), { once: true });
  return {
    push(...more: Item[]): void {
      items.push(...more);
      wake();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
      while (!closed.aborted) {
        while (items.length > 0) yield items.shift()!;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (items.length > 0 || closed.aborted) resolve();
        });
      }
    },
  };
}
