// No agent may come back to itself by its patterns alone (S3-14, S3-49): such a run would be refused in its middle, when
// it is paid for. Cycles over `agents` are no error: there a model chooses, and the one that closes is refused by name.

import { errorAt } from "../../patterns/declarations/finding.ts";
import { type Edge, patternEdges } from "../explain/edges.ts";
import type { Check } from "./check.ts";

export const checkCycles: Check = (agent, { agents }) => {
  const path = wayBack(agent.name, (name) => {
    const definition = agents.get(name)?.definition;
    return definition ? patternEdges(definition) : [];
  });
  if (!path) return [];
  const [first] = path;
  const drawn = path.map(({ key, to }) => ` → (${key}) ${to}`).join("");
  return [
    errorAt(first!.key, "CYCLE", `cycle: ${agent.name}${drawn}`, {
      names: first!.to,
      suggestion: "an agent is never started below itself: take one of these away",
    }),
  ];
};

/** The shortest way from an agent to itself; of several, the first in the order of the files. */
function wayBack(start: string, edges: (name: string) => Edge[]): Edge[] | undefined {
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
