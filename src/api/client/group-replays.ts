import type { AgentReplayView } from "../routes/agent-replay.ts";

/** Puts runs whose replays differ in the same way into one group. */
export function groupReplays({ runs }: AgentReplayView): AgentReplayView["runs"][] {
  const differing = runs.filter(({ difference }) => difference);
  return [...Map.groupBy(differing, ({ difference }) => JSON.stringify(difference!.changes)).values()];
}
