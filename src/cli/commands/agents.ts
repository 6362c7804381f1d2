// `cadre agents`: who can be run here. The project's own and the user's come first; those that come with Cadre follow,
// pack by pack.

import type { Agent } from "../../agents/agent.ts";
import type { Problem } from "../../config/problem.ts";
import { EXIT, type Invocation } from "../io.ts";
import { projectOf } from "../project.ts";
import { agentFacts, problemLine } from "../view/agents.ts";
import { modelLabel } from "../view/live.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import { fitted } from "../view/screen.ts";
import { table } from "../view/table.ts";
import { wrapText } from "../view/words.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { json, screen } = invocation;
  const project = projectOf(invocation);
  const { agents, problems } = await project.agents();
  const listed = [...agents.values()].sort(byName);
  if (json) screen.line(jsonLine(listed.map(agentJson)));
  else {
    const own = listed.filter(({ scope }) => scope !== "builtin");
    for (const line of ownLines(own, project.defaultModel, invocation)) screen.line(line);
    for (const line of builtinLines(
      listed.filter(({ scope }) => scope === "builtin"),
      invocation,
    ))
      screen.line(line);
    const usual = `Agents that name no model use ${modelLabel(project.defaultModel)}.`;
    screen.line(`\n${screen.paint("dim", usual)}`);
    const ours = problems.filter(
      ({ file, severity }) => !file.startsWith("builtin:") || severity === "error",
    );
    for (const line of problemLines(ours, invocation)) screen.line(line);
  }
  return EXIT.done;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function agentJson({ name, file, dialect, scope, definition, problems }: Agent) {
  const { title, description = "", kind, models = [], tools, agents = [] } = definition ?? {};
  const allowed = tools?.allow;
  return { name, title, description, kind, models, tools: allowed, agents, file, dialect, scope, problems };
}

function ownLines(agents: readonly Agent[], usualModel: string, { io, screen, typed }: Invocation): string[] {
  if (agents.length === 0) {
    return [
      `No agents of your own here yet: add agents/<name>.md, or take a pack with \`${typed("init --pack <pack>")}\`.`,
    ];
  }
  const width = io.stdout.isTTY ? screen.columns - 1 : Number.POSITIVE_INFINITY;
  return agents.flatMap((agent) => {
    const { definition } = agent;
    const name = plainLine(agent.name);
    const [first, ...more] = wrapText(`${name}  ${agentFacts(agent, usualModel)}`, width - INDENT).split(
      "\n",
    );
    const tone = definition ? "dim" : "red";
    return [
      screen.paint("bold", name) + screen.paint(tone, first!.slice(name.length)),
      ...more.map((line) => screen.paint(tone, " ".repeat(INDENT) + line)),
      fitted(" ".repeat(INDENT) + plainLine(definition?.description ?? agent.file), width),
    ];
  });
}

const INDENT = 4;

function builtinLines(agents: readonly Agent[], { io, screen }: Invocation): string[] {
  const packs = Map.groupBy(agents, ({ name }) => name.split("/").slice(0, -1).join("/"));
  const width = io.stdout.isTTY ? screen.columns : undefined;
  return [...packs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([pack, members]) => [
      "",
      screen.paint("dim", pack === "" ? "Built in" : `Built in: the pack ${plainLine(pack)}`),
      ...table(
        members.map(({ name, definition }) => [
          `  ${screen.paint("bold", plainLine(name))}`,
          plainLine(definition?.description ?? "cannot be used"),
        ]),
        width,
      ),
    ]);
}

/** Warnings are many where files were written for other products: `agents validate` has them all. */
function problemLines(problems: readonly Problem[], { screen, typed }: Invocation): string[] {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.length - errors.length;
  if (problems.length === 0) return [];
  const more = warnings === 1 ? "1 warning" : `${warnings} warnings`;
  return [
    "",
    ...errors.map((problem) => problemLine(problem, screen.paint)),
    ...(warnings > 0 ? [screen.paint("yellow", `${more}: ${typed("agents validate")}`)] : []),
  ];
}
