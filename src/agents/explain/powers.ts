// What a tool lets an agent do to the world, by its name and its effect.

import type { Power } from "../../journal/blast-radius.ts";
import type { OfferedTool, ReachNode } from "./reach.ts";

export const allNodes = (place: ReachNode): ReachNode[] => [place, ...place.below.flatMap(allNodes)];

const KNOWN: Readonly<Record<string, readonly Power[]>> = {
  Write: ["files"],
  Edit: ["files"],
  TodoWrite: [],
  WebFetch: ["network"],
  WebSearch: ["network"],
  loki_query: ["network"],
  loki_labels: ["network"],
  loki_service_errors: ["network"],
  restart_service: ["commands"],
};

/** They start or follow runs; what those may do is counted where they run. */
const ON_THE_RUNTIME =
  /^(delegate|delegate_to_agent|mcp__agent__spawn|run_.+_agent|route_to|final_report|broadcast|vote_conclude|conclude_team|check_run|wait_for_runs|cancel_run|send_message|list_agents|AskUser)$/;

export const isRuntimeTool = (tool: string): boolean => ON_THE_RUNTIME.test(tool);

/** A tool that does more than read and is not known here could do anything: Bash, and those of servers. */
export function powersOf({ name, effect }: OfferedTool): readonly Power[] {
  if (isRuntimeTool(name)) return [];
  const known = KNOWN[name];
  if (known) return known;
  if (name.startsWith("mcp__")) return effect === "read" ? ["network"] : ANYTHING;
  return effect === "read" ? [] : ANYTHING;
}

const ANYTHING: readonly Power[] = ["files", "commands", "network"];
