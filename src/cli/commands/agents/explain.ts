// `cadre agents explain`: describes statically what an agent reaches and may do.

import { findAgent } from "../../../agents/load.ts";
import { problemText } from "../../../config/problem.ts";
import { EXIT, type Invocation } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { explanationLines } from "../../view/explanation.ts";
import { jsonLine, plainLine } from "../../view/text/plain.ts";

export async function explain(invocation: Invocation, name: string): Promise<number> {
  const { json, screen, io } = invocation;
  const project = projectOf(invocation);
  const set = await project.agents(name);
  const agent = findAgent(set, name);
  const explanation = await project.explain(name);
  if (json) screen.line(jsonLine(explanation));
  else {
    const columns = io.stdout.isTTY ? screen.columns : undefined;
    for (const line of explanationLines(explanation, screen.paint, columns)) screen.line(line);
    for (const problem of agent.problems)
      screen.line(screen.paint("yellow", plainLine(`${problem.severity}: ${problemText(problem)}`)));
  }
  return EXIT.done;
}
