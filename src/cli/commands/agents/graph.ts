// `cadre agents graph`: shows which agents each agent can start, as a tree or as a Mermaid flowchart.

import { edgesOf } from "../../../agents/explain/edges.ts";
import { drawGraph, drawMermaid } from "../../../agents/explain/graph.ts";
import { type AgentSet, findAgent } from "../../../agents/load.ts";
import { type Invocation, report } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import type { Screen } from "../../view/screen.ts";
import { plain, plainLine } from "../../view/text/plain.ts";

const DRAWN_ABOVE = "↑";

export async function graph(
  invocation: Invocation,
  name: string | undefined,
  { mermaid }: { mermaid?: boolean },
): Promise<number> {
  const set = await projectOf(invocation).agents();
  const start = name === undefined ? undefined : findAgent(set, name).name;
  const lines = mermaid ? [plain(drawMermaid(set.agents, start))] : graphLines(set, start, invocation.screen);
  return report(invocation, graphJson(set, start), lines);
}

function graphLines({ agents }: AgentSet, start: string | undefined, { paint }: Screen): string[] {
  const drawn = drawGraph(agents, start);
  const lines = drawn.map(({ stem, key, name, drawnAbove, broken }) => {
    const arrow = paint("dim", `${stem}${key ? `${key} → ` : ""}`);
    const shown = paint(broken ? "red" : key ? "reset" : "bold", plainLine(name));
    const mark = `${broken ? " (cannot be used)" : ""}${drawnAbove ? ` ${DRAWN_ABOVE}` : ""}`;
    return arrow + shown + paint("dim", mark);
  });
  const hasRepeats = drawn.some(({ drawnAbove }) => drawnAbove);
  return hasRepeats ? [...lines, `\n${paint("dim", `${DRAWN_ABOVE} shown above`)}`] : lines;
}

/** Lists the agents in the order of the drawing, each with its edges. */
function graphJson({ agents }: AgentSet, start: string | undefined) {
  const names = [...new Set(drawGraph(agents, start).map(({ name }) => name))];
  return {
    agents: names.map((name) => {
      const definition = agents.get(name)?.definition;
      return { name, edges: definition ? edgesOf(definition) : [] };
    }),
  };
}
