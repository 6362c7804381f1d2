// No agent is allowed to start itself through patterns alone (S3-14, S3-49). The run would fail midway, after it has cost money.
// A cycle through `agents` is not an error: the model chooses whom to call, and Cadre refuses the call that would close the cycle.

import { errorAt } from "../../patterns/declarations/finding.ts";
import { type Edge, patternEdges } from "../explain/edges.ts";
import type { Check } from "./check.ts";

export const checkCycles: Check = (agent, { agents }) => {
  const path = shortestCycle(agent.name, (name) => {
    const definition = agents.get(name)?.definition;
    return definition ? patternEdges(definition) : [];
  });
  if (!path) return [];
  const [first] = path;
  const drawn = path.map(({ key, to }) => ` → (${key}) ${to}`).join("");
  return [
    errorAt(first!.key, "CYCLE", `cycle: ${agent.name}${drawn}`, {
      names: first!.to,
      suggestion: "an agent is never started below itself: remove one of these",
    }),
  ];
};

/** The shortest path from an agent back to itself. If several paths are equally short, returns the path whose edges come first. */
function shortestCycle(start: string, edges: (name: string) => Edge[]): Edge[] | undefined {
  const seen = new Set<string>();
  let paths: Edge[][] = [[]];
  while (paths.length > 0) {
    const longer: Edge[][] = [];
    for (const path of paths) {
      for (const edge of edges(path.at(-1)?.to ?? start)) {
        if (edge.to === start) return [...path, edge];
        if (seen.has(edge.to)) continue;
        seen.add(edge.to);
        longer.push([...path, edge]);
      }
    }
    paths = longer;
  }
  return undefined;
}
