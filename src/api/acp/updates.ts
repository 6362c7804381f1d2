// Converts the events of a tree to updates for an editor.
// Each call and each descendant run is shown as a card with the names of its agents. The root's to-do list is shown as the plan.
// The agents' text is sent by watch-run.ts.

import { resolve } from "node:path";
import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { parseTodos, TODO_WRITE } from "../../projections/folds/todos.ts";
import { ASK_USER, FINAL_REPORT } from "../../projections/folds/tool-call.ts";
import { describeCall, emptyNames, learnNames, type Names } from "../../projections/views/timeline.ts";

/** Maximum length of a result in the editor. Longer results are shortened. */
const MAX_RESULT = 10_000;

/** Calls that get no card, because they are shown as the plan, a question or the answer. */
const NO_CARDS: ReadonlySet<string> = new Set([TODO_WRITE, ASK_USER, FINAL_REPORT]);

interface KnownRun {
  names: Names;
  workspace: string;
  /** Names of the agents below the root, down to this run's agent. */
  path: string;
}

interface Shown {
  rootId: string;
  /** True if the run or message came from this editor, which then already shows it. */
  isOwn: (id: string) => boolean;
  runs: Map<string, KnownRun>;
  cards: Set<string>;
  /** The card of each descendant run. It is the card of the call that started the run, or a separate card. */
  cardOfRun: Map<string, string>;
}

export function createUpdates(
  rootId: string,
  isOwn: (id: string) => boolean,
): (event: JournalEvent) => SessionUpdate[] {
  const shown: Shown = { rootId, isOwn, runs: new Map(), cards: new Set(), cardOfRun: new Map() };
  return (event) => updatesOf(shown, event);
}

function updatesOf(shown: Shown, event: JournalEvent): SessionUpdate[] {
  const run = runOf(shown, event.runId);
  learnNames(run.names, event);
  switch (event.type) {
    case "RUN_STARTED":
      run.workspace = event.payload.workspace;
      return userMessage(shown, event.runId, event.runId, event.payload.task);
    case "CONTEXT_ADDED": {
      const { id, source, text } = event.payload;
      return source === "person" ? userMessage(shown, event.runId, id, text) : [];
    }
    case "TOOL_PROPOSED":
      return proposalCard(shown, event);
    case "TOOL_STARTED":
      return cardUpdate(shown, cardId(event.runId, event.payload.toolCallId), "in_progress");
    case "TOOL_RESULT":
      return resultUpdate(shown, event);
    case "CHILD_RUN_STARTED":
      return childCard(shown, event);
    case "CHILD_RUN_COMPLETED": {
      const { child_run_id: id, success, summary } = event.payload;
      return cardUpdate(shown, shown.cardOfRun.get(id) ?? id, success ? "completed" : "failed", summary);
    }
    default:
      return [];
  }
}

function runOf({ runs }: Shown, runId: string): KnownRun {
  const run = runs.get(runId) ?? { names: emptyNames(), workspace: ".", path: "" };
  runs.set(runId, run);
  return run;
}

function userMessage({ rootId, isOwn }: Shown, runId: string, id: string, text: string): SessionUpdate[] {
  if (runId !== rootId || isOwn(id)) return [];
  return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
}

function proposalCard(shown: Shown, { runId, payload }: EventOf<"TOOL_PROPOSED">): SessionUpdate[] {
  const { toolCallId, name } = payload;
  const id = cardId(runId, toolCallId);
  if (NO_CARDS.has(name) || shown.cards.has(id)) return [];
  shown.cards.add(id);
  const run = runOf(shown, runId);
  const input = run.names.calls.get(toolCallId)?.input;
  const path = pathIn(input, "path");
  return [
    {
      sessionUpdate: "tool_call",
      toolCallId: id,
      title: titleIn(run, describeCall(name, input)),
      kind: toolKind(name),
      status: "pending",
      rawInput: input,
      ...(path === undefined ? {} : { locations: [{ path: resolve(run.workspace, path) }] }),
    },
  ];
}

function resultUpdate(shown: Shown, { runId, payload }: EventOf<"TOOL_RESULT">): SessionUpdate[] {
  const { toolCallId, output, isError } = payload;
  const call = runOf(shown, runId).names.calls.get(toolCallId);
  const todos = call && runId === shown.rootId && !isError ? parseTodos(call.tool, call.input) : undefined;
  if (todos) {
    const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" as const }));
    return [{ sessionUpdate: "plan", entries }];
  }
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  return cardUpdate(shown, cardId(runId, toolCallId), isError ? "failed" : "completed", text);
}

function cardUpdate(
  { cards }: Shown,
  id: string,
  status: "in_progress" | "completed" | "failed",
  text = "",
): SessionUpdate[] {
  if (!cards.has(id)) return [];
  const content = text === "" ? {} : { content: [textContent(text.slice(0, MAX_RESULT))] };
  return [{ sessionUpdate: "tool_call_update", toolCallId: id, status, ...content }];
}

function childCard(shown: Shown, { runId, payload }: EventOf<"CHILD_RUN_STARTED">): SessionUpdate[] {
  const { child_run_id: childId, agent_type: agent, task, key } = payload;
  const parent = runOf(shown, runId);
  runOf(shown, childId).path = titleIn(parent, agent);
  const title = titleIn(parent, `${agent}: ${task}`);
  const call = cardId(runId, key);
  const isOfCall = shown.cards.has(call);
  const toolCallId = isOfCall ? call : childId;
  shown.cards.add(toolCallId);
  shown.cardOfRun.set(childId, toolCallId);
  return [
    isOfCall
      ? { sessionUpdate: "tool_call_update", toolCallId, title, status: "in_progress" }
      : { sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "in_progress" },
  ];
}

const titleIn = ({ path }: KnownRun, title: string): string => (path === "" ? title : `${path} › ${title}`);

/** Id of a call's card. Call ids are unique only within their run. */
export const cardId = (runId: string, callId: string): string => `${runId}:${callId}`;

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  LS: "read",
  Grep: "search",
  Glob: "search",
  WebSearch: "search",
  WebFetch: "fetch",
  Edit: "edit",
  Write: "edit",
  Bash: "execute",
};

export const toolKind = (tool: string): ToolKind => KINDS[tool] ?? "other";

/** Reads a file path from a field of a call's input. */
export function pathIn(input: unknown, field: string): string | undefined {
  const path = (input as Record<string, unknown> | null | undefined)?.[field];
  return typeof path === "string" ? path : undefined;
}

export const textContent = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text },
});
