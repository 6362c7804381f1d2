// `cadre agents explain`: the static picture of an agent, before anything runs.

import { explain as explainAgent } from "../../agents/explain.ts";
import { findAgent } from "../../agents/load.ts";
import { problemText } from "../../config/problem.ts";
import { EXIT, type Invocation } from "../io.ts";
import { projectOf } from "../project.ts";
import { explanationLines } from "../view/explanation.ts";
import { jsonLine, plainLine } from "../view/plain.ts";

export async function explain(invocation: Invocation, name: string): Promise<number> {
  const { json, screen, io } = invocation;
  const project = projectOf(invocation);
  const set = await project.agents();
  const { limits, permissions } = project.config;
  const { offered } = project;
  const agent = findAgent(set, name);
  const explanation = explainAgent(agent, {
    agents: set.agents,
    offered,
    limits,
    deny: permissions.deny,
  });
  if (json) screen.line(jsonLine(explanation));
  else {
    const columns = io.stdout.isTTY ? screen.columns : undefined;
    for (const line of explanationLines(explanation, screen.paint, columns)) screen.line(line);
    for (const problem of agent.problems)
      screen.line(screen.paint("yellow", plainLine(`${problem.severity}: ${problemText(problem)}`)));
  }
  return EXIT.done;
}
