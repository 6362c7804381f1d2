import type { AgentReplayView } from "../routes/agent-replay.ts";

/** Groups the runs that would differ by their difference. */
export function groupReplays({ runs }: AgentReplayView): AgentReplayView["runs"][] {
  const differing = runs.filter(({ difference }) => difference);
  return [...Map.groupBy(differing, ({ difference }) => JSON.stringify(difference!.changes)).values()];
}
