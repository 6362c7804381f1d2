// `cadre agents graph`: which agent can start which, as a tree or as a Mermaid flowchart.

import { edgesOf } from "../../../agents/explain/edges.ts";
import { drawGraph, drawMermaid } from "../../../agents/explain/graph.ts";
import { type AgentSet, findAgent } from "../../../agents/load.ts";
import { EXIT, type Invocation } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import type { Screen } from "../../view/screen.ts";
import { jsonLine, plain, plainLine } from "../../view/text/plain.ts";

const DRAWN_ABOVE = "↑";

export async function graph(
  invocation: Invocation,
  name: string | undefined,
  options: { mermaid?: boolean },
): Promise<number> {
  const { json, screen } = invocation;
  const set = await projectOf(invocation).agents();
  const start = name === undefined ? undefined : findAgent(set, name).name;
  if (json) screen.line(jsonLine(graphJson(set, start)));
  else if (options.mermaid) screen.line(plain(drawMermaid(set.agents, start)));
  else sayTree(set, start, screen);
  return EXIT.done;
}

/** The agents in the order of the drawing, each with its edges. */
function graphJson({ agents }: AgentSet, start: string | undefined) {
  const names = [...new Set(drawGraph(agents, start).map(({ name }) => name))];
  return {
    agents: names.map((name) => {
      const definition = agents.get(name)?.definition;
      return { name, edges: definition ? edgesOf(definition) : [] };
    }),
  };
}

function sayTree({ agents }: AgentSet, start: string | undefined, { line, paint }: Screen): void {
  const drawn = drawGraph(agents, start);
  for (const { stem, key, name, drawnAbove, broken } of drawn) {
    const arrow = paint("dim", `${stem}${key ? `${key} → ` : ""}`);
    const shown = paint(broken ? "red" : key ? "reset" : "bold", plainLine(name));
    const mark = `${broken ? " (cannot be used)" : ""}${drawnAbove ? ` ${DRAWN_ABOVE}` : ""}`;
    line(arrow + shown + paint("dim", mark));
  }
  if (drawn.some(({ drawnAbove }) => drawnAbove)) line(`\n${paint("dim", `${DRAWN_ABOVE} shown above`)}`);
}
