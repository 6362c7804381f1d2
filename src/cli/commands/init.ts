// `cadre init`: turns a folder into a project. The command adds missing files and overwrites nothing, so it can be run again.
// If no options are given at a terminal, `cadre init` asks the person what to start with.

import type { Agent } from "../../agents/agent.ts";
import { type KeyedModel, modelsByKey } from "../../project/project.ts";
import { plural } from "../../projections/words/format.ts";
import type { CommandLine } from "../command-line.ts";
import { filesBelow, findByName, type Pack, packsIn } from "../init/packs.ts";
import { SCRIPT, TEMPLATES, type Template } from "../init/templates.ts";
import {
  configText,
  copyNewFiles,
  ignoreStateFolder,
  type WrittenFiles,
  writeNewFile,
} from "../init/write-files.ts";
import { EXIT, type Invocation, isAttended, report, tableWidth, usageError } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

interface InitOptions {
  pack?: string;
  template?: string;
  list?: boolean;
}

interface Choice {
  pack?: Pack | undefined;
  template?: Template | undefined;
  /** Agents the project already has. */
  own: Agent[];
  model?: KeyedModel | undefined;
}

export async function init(invocation: Invocation, options: InitOptions): Promise<number> {
  const { folder } = invocation;
  const project = projectOf(invocation);
  const packs = await packsIn(project.builtinFolder);
  if (options.list) return reportPacks(packs, invocation);
  const { agents } = await project.agents();
  const own = [...agents.values()].filter(({ scope }) => scope === "project");
  const choice = await choose(invocation, options, { packs, own });
  if (!choice) {
    invocation.screen.line("Nothing was changed.");
    return EXIT.interrupted;
  }
  const { pack, template, model } = choice;
  const made: WrittenFiles = { created: [], kept: [] };
  if (pack) await copyNewFiles(pack.files, { from: project.builtinFolder, folder, below: "agents/" }, made);
  if (template?.folder) await copyTemplate(template.folder, choice, folder, made);
  const script = template?.folder && !model ? SCRIPT : undefined;
  await writeNewFile(folder, "cadre.yaml", configText(model, script), made);
  await ignoreStateFolder(folder, made);
  return reportMade(made, choice, invocation);
}

/** Returns undefined if the person cancelled a question. */
async function choose(
  invocation: Invocation,
  { pack, template }: InitOptions,
  { packs, own }: { packs: readonly Pack[]; own: Agent[] },
): Promise<Choice | undefined> {
  const { io } = invocation;
  const keyed = modelsByKey(io.env);
  const [first, second] = keyed;
  if (template !== undefined || pack !== undefined || !isAttended(invocation))
    return {
      own,
      model: first,
      template: template === undefined ? undefined : templateNamed(template, own),
      pack: pack === undefined ? undefined : findByName("pack", packs, pack),
    };
  const { askModel, askTemplate } = await import("../init/prompts.ts");
  // If the project already has agents, the choice to use them is listed first.
  const existing = TEMPLATES.filter(({ folder }) => folder === undefined && own.length > 0);
  const offered = [...existing, ...TEMPLATES.filter(({ folder }) => folder !== undefined)];
  const wanted = await askTemplate(io, offered);
  if (wanted === undefined) return undefined;
  const model = second ? await askModel(io, keyed) : first;
  if (second && model === undefined) return undefined;
  return { own, template: wanted === "nothing" ? undefined : wanted, model };
}

function templateNamed(name: string, own: readonly Agent[]): Template {
  const template = findByName("template", TEMPLATES, name);
  if (template.folder !== undefined || own.length > 0) return template;
  throw usageError(
    "No agents were found in .claude/agents, .opencode/agent, .github/agents or agents. Nothing was changed.",
  );
}

function reportPacks(packs: readonly Pack[], invocation: Invocation): number {
  const rows = packs.map((pack) => [
    invocation.screen.paint("bold", plainLine(pack.name)),
    plural(agentsOf(pack).length, "agent"),
    plainLine(pack.about),
  ]);
  return report(invocation, packs, [
    ...table(rows, tableWidth(invocation)),
    `\nCopy one: ${invocation.commandLine("init --pack <pack>")}`,
  ]);
}

function reportMade(made: WrittenFiles, choice: Choice, invocation: Invocation): number {
  const { screen, commandLine } = invocation;
  const next = nextSteps(choice, commandLine);
  const found = choice.template && !choice.template.folder ? choice.own : [];
  return report(invocation, { ...made, next }, [
    ...made.created.map((file) => `${screen.paint("green", "created")}  ${plainLine(file)}`),
    ...made.kept.map((file) => screen.paint("dim", `kept     ${plainLine(file)} (it already existed)`)),
    ...found.map(
      ({ name, file }) => `${screen.paint("green", "found")}    ${plainLine(`${name}, in ${file}`)}`,
    ),
    ...fitLines(["", modelWords(choice)], screen),
    "\nNext:",
    ...next.map((command) => `  ${command}`),
  ]);
}

/** Copies a template. The script of the scripted model is left out if a real model was found. */
async function copyTemplate(
  from: string,
  { model }: Choice,
  folder: string,
  made: WrittenFiles,
): Promise<void> {
  const files = await filesBelow(from);
  await copyNewFiles(
    files.filter((file) => !model || !file.endsWith(".script.yaml")),
    { from, folder },
    made,
  );
}

function modelWords({ model, template }: Choice): string {
  if (model) return `Model: ${model.model} (${model.key} is set).`;
  const isSet = "ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY is set";
  return template?.folder
    ? `No provider's key was found: ${SCRIPT}.script.yaml plays until ${isSet} and \`model\` in cadre.yaml names a model.`
    : `No provider's key was found: a scripted model rehearses until ${isSet}, or \`model\` in cadre.yaml names a model of your own server.`;
}

function nextSteps({ pack, template, own }: Choice, commandLine: CommandLine): string[] {
  if (template?.first)
    return [commandLine(`run ${template.first.agent} "${template.first.task}"`), commandLine("up")];
  const agents = template ? own.map(({ name }) => name) : pack ? agentsOf(pack) : [];
  if (agents.length === 0)
    return [commandLine("init --list"), commandLine(`run "what does this project do?"`)];
  const first =
    agents.find((name) => /(^|\/)(supervisor|main|receptionist)$/.test(name)) ??
    agents.find((name) => /(^|\/)orchestrator$/.test(name)) ??
    agents[0]!;
  return [
    commandLine("agents"),
    commandLine(`agents explain ${first}`),
    commandLine(`run ${first} "your task"`),
  ];
}

const agentsOf = ({ files }: Pack): string[] =>
  files.filter((file) => !/README\.md$/i.test(file)).map((file) => file.replace(/\.md$/, ""));
