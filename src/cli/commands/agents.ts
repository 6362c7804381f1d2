// `cadre agents`: the agents that can be run here, and what is wrong with those that cannot.

import type { AgentView } from "../../api/schema.ts";
import { problemText } from "../../config/problem.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { count } from "../view/format.ts";
import { modelLabel } from "../view/live.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import type { Screen } from "../view/screen.ts";
import { table } from "../view/table.ts";

export const list = (invocation: Invocation) => agents(invocation, { check: false });

/** The exit code says whether all of them can run. */
export const validate = (invocation: Invocation) => agents(invocation, { check: true });

async function agents(invocation: Invocation, { check }: { check: boolean }): Promise<number> {
  const { folder, io, json, screen } = invocation;
  const found = await withClient({ folder, env: io.env }, (client) => client.agents());
  const broken = found.filter(({ problems }) => problems.some(({ severity }) => severity === "error"));
  if (json) for (const agent of found) screen.line(jsonLine(agent));
  else {
    if (!check) for (const line of listLines(found, invocation)) screen.line(line);
    for (const line of problemLines(found, screen)) screen.line(line);
    if (check && broken.length === 0) screen.line(`${count(found.length, "agent")}: all can run.`);
  }
  return check && broken.length > 0 ? EXIT.failed : EXIT.done;
}

function listLines(found: readonly AgentView[], { io, screen }: Invocation): string[] {
  const rows = found.map((agent) => [
    screen.paint("bold", plainLine(agent.name)),
    agent.kind ?? screen.paint("red", "broken"),
    screen.paint("dim", agent.models[0] === undefined ? "" : modelLabel(agent.models[0])),
    screen.paint("dim", plainLine(agent.file)),
    plainLine(agent.description),
  ]);
  return table(rows, io.stdout.isTTY ? io.stdout.columns : undefined);
}

function problemLines(found: readonly AgentView[], { paint }: Screen): string[] {
  return found
    .flatMap(({ problems }) => problems)
    .map((problem) => {
      const { suggestion, ...rest } = problem;
      const text = plainLine(problemText(suggestion === undefined ? rest : { ...rest, suggestion }));
      return problem.severity === "error"
        ? paint("red", `error: ${text}`)
        : paint("yellow", `warning: ${text}`);
    });
}
