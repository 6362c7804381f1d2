// What happens in a run and in all runs below it, as typed parts in order: first what the journals contain, then live.

import type { Delta } from "../journal/deltas.ts";
import { isTurn, type JournalEvent, TERMINAL_TYPES } from "../journal/events.ts";
import { reasoningOf, textOf, toolCallsOf } from "../journal/message.ts";
import type { RuntimeAssembly } from "../runtime/assembly.ts";
import { type ApprovalRequest, openRequests } from "./approvals.ts";

interface Origin {
  runId: string;
  agent: string;
}

export type RunPart = Origin &
  (
    | { type: "started"; task: string; parentRunId: string | undefined }
    /** A piece of text while the model writes. It is not recorded: a new stream does not repeat it, and a retried call writes it again. */
    | { type: "text-delta"; text: string }
    | { type: "reasoning-delta"; text: string }
    /** Everything that the model wrote in a turn. */
    | { type: "text"; text: string }
    | { type: "reasoning"; text: string }
    | { type: "tool-call"; callId: string; tool: string; input: unknown }
    /** Output of a tool while it runs. It is not recorded. */
    | { type: "tool-output-delta"; callId: string; text: string }
    | { type: "tool-result"; callId: string; tool: string; output: unknown; isError: boolean }
    /** A person, or your program, must decide something. */
    | { type: "approval"; request: ApprovalRequest }
    /** The run waits: `provider`, `child`, `approval`, `timer` … */
    | { type: "waiting"; kind: string; until: number | undefined; detail: string | undefined }
    | { type: "ended"; status: "completed" | "failed" | "cancelled"; summary: string }
  );

const PAGE = 1_000;

/** Ends when the root run has ended, or when the returned iterator is closed. */
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
        yield* tree.partsOf(event);
        position = event.position;
        if (endsTree(event, rootId)) return;
      }
      page = await store.journal.readAll(position, PAGE, { root: rootId });
    }
    for await (const item of queue) {
      if (!("seq" in item)) {
        yield* tree.partsOfDelta(item);
      } else if (item.position > position) {
        yield* tree.partsOf(item);
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
  const turns = new Map<string, boolean>();
  const announced = new Set<string>();

  async function* requests(runId: string): AsyncGenerator<RunPart> {
    for (const request of await openRequests({ run: runId }, assembly)) {
      if (announced.has(request.id)) continue;
      announced.add(request.id);
      yield { type: "approval", runId, agent: request.agent, request };
    }
  }

  async function* partsOf(event: JournalEvent): AsyncGenerator<RunPart> {
    const { runId } = event;
    if (event.type === "RUN_STARTED" && event.payload.rootRunId === rootId)
      agents.set(runId, event.payload.agent);
    const agent = agents.get(runId);
    if (agent === undefined) return;
    const origin = { runId, agent };
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
        turns.set(`${runId}/${event.payload.callId}`, isTurn(event.payload.purpose));
        return;
      case "AGENT_THOUGHT": {
        const call = `${runId}/${event.payload.callId}`;
        const isOwn = turns.get(call) ?? true;
        turns.delete(call);
        if (!isOwn) return;
        const { content, callId } = event.payload;
        const [reasoning, text] = [reasoningOf(content), textOf(content)];
        if (reasoning !== "") yield { ...origin, type: "reasoning", text: reasoning };
        if (text !== "") yield { ...origin, type: "text", text };
        for (const [index, { toolName, input }] of toolCallsOf(content).entries()) {
          const id = `${callId}.${index}`;
          tools.set(`${runId}/${id}`, toolName);
          yield { ...origin, type: "tool-call", callId: id, tool: toolName, input };
        }
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
        // A delegation that did not wait has its result already.
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

  async function* partsOfDelta({ type, runId, callId, text }: Delta): AsyncGenerator<RunPart> {
    const agent = agents.get(runId);
    if (agent === undefined) return;
    if (type === "tool-output.delta") yield { runId, agent, type: "tool-output-delta", callId, text };
    else if (turns.get(`${runId}/${callId}`) ?? true) {
      yield { runId, agent, type: type === "text.delta" ? "text-delta" : "reasoning-delta", text };
    }
  }

  return { partsOf, partsOfDelta };
}

const ENDS = { RUN_COMPLETED: "completed", RUN_FAILED: "failed", RUN_CANCELLED: "cancelled" } as const;

const summaryOf = (event: Extract<JournalEvent, { type: keyof typeof ENDS }>): string =>
  event.type === "RUN_COMPLETED" ? event.payload.result.summary : event.payload.summary;

/** Holds what arrived while the reader was busy. */
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
