// `cadre agents`: lists the agents that can be run here.
// The agents of the project and the user come first. Built-in agents are summed up by pack.

import type { Agent } from "../../../agents/agent.ts";
import type { Problem } from "../../../config/problem.ts";
import { plural } from "../../../projections/words/format.ts";
import { type Pack, packsIn } from "../../init/packs.ts";
import { type Invocation, report, tableWidth } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { agentFacts, isUnknownModel, problemLine, withTitle } from "../../view/agents.ts";
import { modelLabel } from "../../view/live/live-view.ts";
import { type Screen, truncate } from "../../view/screen.ts";
import { fitLines } from "../../view/text/fit.ts";
import { plainLine } from "../../view/text/plain.ts";
import { table } from "../../view/text/table.ts";
import { wrapText } from "../../view/text/word-wrap.ts";

export async function list(invocation: Invocation, options: { all?: true }): Promise<number> {
  const project = projectOf(invocation);
  const { agents, problems } = await project.agents();
  const listed = [...agents.values()].sort(byName);
  const own = listed.filter(({ scope }) => scope !== "builtin");
  const builtin = listed.filter(({ scope }) => scope === "builtin");
  const ours = problems.filter(({ file, severity }) => !file.startsWith("builtin:") || severity === "error");
  const isUsable = "model" in project.chooseModel(project.defaultModel);
  const doubt = isUsable ? "" : ", which cannot be used: its provider is unknown or not trusted";
  const usual = `Agents that name no model use ${modelLabel(project.defaultModel)}${doubt}.`;
  return report(invocation, listed.map(agentJson), [
    ...ownLines(own, project.defaultModel, invocation),
    ...(options.all
      ? everyBuiltinLines(builtin, invocation)
      : builtinLines(builtin, await packsIn(project.builtinFolder), invocation)),
    ...(await promptLines(project, invocation)),
    `\n${invocation.screen.paint(isUsable ? "dim" : "red", usual)}`,
    ...problemLines(ours, invocation),
  ]);
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

/** Lists the commands of Claude Code and the skills, which people start as `/name`. */
async function promptLines(project: ReturnType<typeof projectOf>, invocation: Invocation): Promise<string[]> {
  const { screen, commandLine } = invocation;
  const [{ commands }, { skills }] = await Promise.all([project.commands(), project.skills()]);
  if (commands.length + skills.length === 0) return [];
  const rows = [
    ...commands.map(({ name, hint, description }) =>
      builtinRow(`/${name} ${hint}`.trim(), description, screen),
    ),
    ...skills.map(({ name, description }) => builtinRow(`/${name}`, `skill: ${description}`, screen)),
  ];
  return [
    "",
    screen.paint("dim", `Commands and skills: ${commandLine("run /name")}`),
    ...table(rows, tableWidth(invocation)),
  ];
}

function agentJson({ name, file, dialect, scope, definition, problems }: Agent) {
  const { title, description = "", kind, models = [], tools, agents = [] } = definition ?? {};
  const allowed = tools?.allow;
  return { name, title, description, kind, models, tools: allowed, agents, file, dialect, scope, problems };
}

function ownLines(agents: readonly Agent[], usualModel: string, invocation: Invocation): string[] {
  const { screen, commandLine } = invocation;
  if (agents.length === 0) {
    const lines = [
      `No agents of your own here yet: add agents/<name>.md, or take a pack with \`${commandLine("init --pack <pack>")}\`.`,
      `Right now \`${commandLine('run "what to do"')}\` gives a task to the assistant.`,
    ];
    return fitLines(lines, screen);
  }
  const width = (tableWidth(invocation) ?? Number.POSITIVE_INFINITY) - 1;
  return agents.flatMap((agent) => {
    const { definition } = agent;
    const name = withTitle(agent.name, definition?.title);
    const facts = wrapText(`${name}  ${agentFacts(agent, usualModel)}`, width - INDENT);
    const [first, ...more] = facts.split("\n");
    const tone = definition && !agent.problems.some(isUnknownModel) ? "dim" : "red";
    return [
      screen.paint("bold", name) + screen.paint(tone, first!.slice(name.length)),
      ...more.map((line) => screen.paint(tone, " ".repeat(INDENT) + line)),
      truncate(" ".repeat(INDENT) + plainLine(definition?.description ?? agent.file), width),
    ];
  });
}

const INDENT = 4;

/** Sums up each pack in one line: packs have many agents, and most projects use none of them. */
function builtinLines(agents: readonly Agent[], packs: readonly Pack[], invocation: Invocation): string[] {
  const { screen, commandLine } = invocation;
  const packRows = packs.flatMap(({ name, about }) => {
    const size = agents.filter((agent) => agent.name.startsWith(`${name}/`)).length;
    // If the project has its own copy of the pack, the agents belong to the project and `size` is 0.
    return size === 0
      ? []
      : [builtinRow(`${name}/…`, `a pack of ${plural(size, "agent")}: ${about}`, screen)];
  });
  return [
    "",
    screen.paint("dim", "Built in, ready to run:"),
    ...table(
      [
        ...agents.filter(({ name }) => !name.includes("/")).map((agent) => agentRow(agent, screen)),
        ...packRows,
      ],
      tableWidth(invocation),
    ),
    screen.paint("dim", `Every agent of the packs: ${commandLine("agents --all")}`),
  ];
}

function everyBuiltinLines(agents: readonly Agent[], invocation: Invocation): string[] {
  const { screen } = invocation;
  const packs = Map.groupBy(agents, ({ name }) => name.split("/").slice(0, -1).join("/"));
  return [...packs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([pack, members]) => [
      "",
      screen.paint("dim", pack === "" ? "Built in" : `Built in: the pack ${plainLine(pack)}`),
      ...table(
        members.map((agent) => agentRow(agent, screen)),
        tableWidth(invocation),
      ),
    ]);
}

const agentRow = ({ name, definition }: Agent, screen: Screen): string[] =>
  builtinRow(withTitle(name, definition?.title), definition?.description ?? "cannot be used", screen);

const builtinRow = (name: string, text: string, { paint }: Screen): string[] => [
  `  ${paint("bold", plainLine(name))}`,
  plainLine(text),
];

/** Prints only the number of warnings, because files of other products cause many. `agents validate` lists the warnings. */
function problemLines(problems: readonly Problem[], { screen, commandLine }: Invocation): string[] {
  if (problems.length === 0) return [];
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.length - errors.length;
  const more = `${plural(warnings, "warning")}: ${commandLine("agents validate")}`;
  return [
    "",
    ...errors.map((problem) => problemLine(problem, screen.paint)),
    ...(warnings > 0 ? [screen.paint("yellow", more)] : []),
  ];
}
