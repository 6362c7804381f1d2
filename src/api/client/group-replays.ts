import type { AgentReplayView } from "../routes/agent-replay.ts";

/** Runs that would go otherwise, by what would be another one in them. */
export function groupReplays({ runs }: AgentReplayView): AgentReplayView["runs"][] {
  const differing = runs.filter(({ difference }) => difference);
  return [...Map.groupBy(differing, ({ difference }) => JSON.stringify(difference!.changes)).values()];
}
