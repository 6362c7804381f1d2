// Emits the four agent events of S1 after each commit, for programs that embed Cadre.
// The events are only notifications. A program that was not listening can read the journal.

import { isTurn, type JournalEvent, type ResultEnvelope } from "../../journal/events.ts";
import { type AgentMessage, agentMessages } from "./agent-records.ts";

/** The agent events of S1 (S1-36 … S1-39). `agentId` is the id of the run, and `type` is the name of the agent. */
export interface AgentEvents {
  "agent:spawned": { agentId: string; parentId: string | undefined; type: string };
  "agent:completed": { agentId: string; result: ResultEnvelope };
  /** A cancelled run emits this event too, with an error named `RunCancelled`. */
  "agent:failed": { agentId: string; error: Error };
  "agent:message": { agentId: string; message: AgentMessage };
}

export type AgentEventName = keyof AgentEvents;
export type AgentListener<Name extends AgentEventName> = (notification: AgentEvents[Name]) => void;

/** Adds a listener and returns a function that removes it. */
export type OnAgent = <Name extends AgentEventName>(name: Name, listener: AgentListener<Name>) => () => void;

type Notification = { [Name in AgentEventName]: { name: Name; payload: AgentEvents[Name] } }[AgentEventName];

interface Commits {
  onCommit(listener: (events: readonly JournalEvent[]) => void): () => void;
}

type Report = (problem: { runId: string; message: string; error: unknown }) => void;

/** Subscribes to commits once for all listeners, and calls the listeners in journal order. If a listener throws, the others are still called. */
export function createAgentEvents(commits: Commits, report: Report): OnAgent {
  const listeners = new Set<{ name: AgentEventName; listener(payload: unknown): unknown }>();
  const runtimeCalls = new Set<string>();
  const notify = ({ name, payload }: Notification): void => {
    const reportFailure = (error: unknown): void =>
      report({ runId: payload.agentId, message: `A listener to ${name} failed; the run goes on.`, error });
    for (const { listener } of [...listeners].filter((one) => one.name === name)) {
      try {
        // An async listener can reject later. An unhandled rejection would end the process.
        Promise.resolve(listener(payload)).catch(reportFailure);
      } catch (error) {
        reportFailure(error);
      }
    }
  };
  const notifyAll = (events: readonly JournalEvent[]): void => {
    for (const event of events) {
      const notification = isRuntimeCall(event, runtimeCalls) ? undefined : notificationFor(event);
      if (notification) notify(notification);
    }
  };
  let stop: (() => void) | undefined;
  return (name, listener) => {
    const one = { name, listener: listener as (payload: unknown) => unknown };
    listeners.add(one);
    stop ??= commits.onCommit(notifyAll);
    return () => {
      listeners.delete(one);
      if (listeners.size > 0) return;
      stop?.();
      stop = undefined;
    };
  };
}

/** Model calls that serve the runtime, such as summaries, are not messages of the agent. */
function isRuntimeCall(event: JournalEvent, runtimeCalls: Set<string>): boolean {
  if (event.type !== "MODEL_CALL_STARTED" && event.type !== "AGENT_THOUGHT") return false;
  const call = `${event.runId}/${event.payload.callId}`;
  if (event.type === "AGENT_THOUGHT") return runtimeCalls.delete(call);
  if (!isTurn(event.payload.purpose)) runtimeCalls.add(call);
  return true;
}

function notificationFor(event: JournalEvent): Notification | undefined {
  const agentId = event.runId;
  switch (event.type) {
    case "RUN_STARTED": {
      const { agent: type, parentRunId: parentId } = event.payload;
      return { name: "agent:spawned", payload: { agentId, parentId, type } };
    }
    case "RUN_COMPLETED":
      return { name: "agent:completed", payload: { agentId, result: event.payload.result } };
    case "RUN_FAILED":
      return { name: "agent:failed", payload: { agentId, error: new Error(event.payload.summary) } };
    case "RUN_CANCELLED":
      return { name: "agent:failed", payload: { agentId, error: cancellationError(event.payload.summary) } };
    case "AGENT_THOUGHT":
      return { name: "agent:message", payload: { agentId, message: agentMessages([event])[0]! } };
    default:
      return undefined;
  }
}

const cancellationError = (summary: string): Error =>
  Object.assign(new Error(summary), { name: "RunCancelled" });
