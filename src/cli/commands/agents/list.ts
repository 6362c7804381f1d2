// `cadre agents`: lists the agents that can be run here, first those of the project and the user. Built-in agents are
// summed up by pack.

import type { Agent } from "../../../agents/agent.ts";
import type { Problem } from "../../../config/problem.ts";
import { plural } from "../../../projections/words/format.ts";
import { type Pack, packsIn } from "../../init/packs.ts";
import { EXIT, type Invocation } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { agentFacts, isUnknownModel, problemLine, withTitle } from "../../view/agents.ts";
import { modelLabel } from "../../view/live/live-view.ts";
import { truncate } from "../../view/screen.ts";
import { fitLines } from "../../view/text/fit.ts";
import { jsonLine, plainLine } from "../../view/text/plain.ts";
import { table } from "../../view/text/table.ts";
import { wrapText } from "../../view/text/word-wrap.ts";

export async function list(invocation: Invocation, options: { all?: true }): Promise<number> {
  const { json, screen } = invocation;
  const project = projectOf(invocation);
  const { agents, problems } = await project.agents();
  const listed = [...agents.values()].sort(byName);
  if (json) screen.line(jsonLine(listed.map(agentJson)));
  else {
    const own = listed.filter(({ scope }) => scope !== "builtin");
    for (const line of ownLines(own, project.defaultModel, invocation)) screen.line(line);
    const builtin = listed.filter(({ scope }) => scope === "builtin");
    const lines = options.all
      ? everyBuiltinLines(builtin, invocation)
      : builtinLines(builtin, await packsIn(project.builtinFolder), invocation);
    for (const line of lines) screen.line(line);
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

function ownLines(
  agents: readonly Agent[],
  usualModel: string,
  { io, screen, commandLine }: Invocation,
): string[] {
  if (agents.length === 0) {
    return fitLines(
      [
        `No agents of your own here yet: add agents/<name>.md, or take a pack with \`${commandLine("init --pack <pack>")}\`.`,
        `Right now \`${commandLine('run "what to do"')}\` gives a task to the assistant.`,
      ],
      screen,
    );
  }
  const width = io.stdout.isTTY ? screen.columns - 1 : Number.POSITIVE_INFINITY;
  return agents.flatMap((agent) => {
    const { definition } = agent;
    const name = withTitle(agent.name, definition?.title);
    const [first, ...more] = wrapText(`${name}  ${agentFacts(agent, usualModel)}`, width - INDENT).split(
      "\n",
    );
    const tone = definition && !agent.problems.some(isUnknownModel) ? "dim" : "red";
    return [
      screen.paint("bold", name) + screen.paint(tone, first!.slice(name.length)),
      ...more.map((line) => screen.paint(tone, " ".repeat(INDENT) + line)),
      truncate(" ".repeat(INDENT) + plainLine(definition?.description ?? agent.file), width),
    ];
  });
}

const INDENT = 4;

/** Sums up packs in one line each: they have many agents, and most projects use none of them. */
function builtinLines(agents: readonly Agent[], packs: readonly Pack[], invocation: Invocation): string[] {
  const { io, screen, commandLine } = invocation;
  const alone = agents.filter(({ name }) => !name.includes("/"));
  const rows = [
    ...alone.map(({ name, definition }) => [
      withTitle(name, definition?.title),
      definition?.description ?? "cannot be used",
    ]),
    ...packs.flatMap(({ name, about }) => {
      const size = agents.filter((agent) => agent.name.startsWith(`${name}/`)).length;
      // A copied pack belongs to the project.
      return size === 0 ? [] : [[`${name}/…`, `a pack of ${plural(size, "agent")}: ${about}`]];
    }),
  ].map(([name, text]) => [`  ${screen.paint("bold", plainLine(name!))}`, plainLine(text!)]);
  return [
    "",
    screen.paint("dim", "Built in, ready to run:"),
    ...table(rows, io.stdout.isTTY ? screen.columns : undefined),
    screen.paint("dim", `Every agent of the packs: ${commandLine("agents --all")}`),
  ];
}

function everyBuiltinLines(agents: readonly Agent[], { io, screen }: Invocation): string[] {
  const packs = Map.groupBy(agents, ({ name }) => name.split("/").slice(0, -1).join("/"));
  const width = io.stdout.isTTY ? screen.columns : undefined;
  return [...packs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([pack, members]) => [
      "",
      screen.paint("dim", pack === "" ? "Built in" : `Built in: the pack ${plainLine(pack)}`),
      ...table(
        members.map(({ name, definition }) => [
          `  ${screen.paint("bold", withTitle(name, definition?.title))}`,
          plainLine(definition?.description ?? "cannot be used"),
        ]),
        width,
      ),
    ]);
}

/** Only counts warnings, of which files written for other products have many. `agents validate` lists them. */
function problemLines(problems: readonly Problem[], { screen, commandLine }: Invocation): string[] {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.length - errors.length;
  if (problems.length === 0) return [];
  const more = warnings === 1 ? "1 warning" : `${warnings} warnings`;
  return [
    "",
    ...errors.map((problem) => problemLine(problem, screen.paint)),
    ...(warnings > 0 ? [screen.paint("yellow", `${more}: ${commandLine("agents validate")}`)] : []),
  ];
}
