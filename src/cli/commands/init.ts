// `cadre init`: turns a folder into a project. It adds missing files and overwrites nothing, so it can be run again. It asks
// what to start with, but only at a terminal and without options.

import type { Agent } from "../../agents/agent.ts";
import { CadreError } from "../../errors.ts";
import { type KeyedModel, modelsByKey } from "../../project/project.ts";
import { plural } from "../../projections/words/format.ts";
import type { CommandLine } from "../command-line.ts";
import { configText } from "../init/config-text.ts";
import { filesBelow, findByName, findPack, type Pack, packsIn } from "../init/packs.ts";
import { SCRIPT, TEMPLATES, type Template } from "../init/templates.ts";
import { copyNewFiles, ignoreStateFolder, type WrittenFiles, writeNewFile } from "../init/write-files.ts";
import { EXIT, type Invocation, isAttended } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

interface InitOptions {
  pack?: string;
  template?: string;
  list?: boolean;
}

/** What the person chose to start with. */
interface Choice {
  pack?: Pack;
  template?: Template;
  /** Agents the project already has. */
  own: Agent[];
  model?: KeyedModel;
}

export async function init(invocation: Invocation, options: InitOptions): Promise<number> {
  const { folder } = invocation;
  const project = projectOf(invocation);
  const packs = await packsIn(project.builtinFolder);
  if (options.list) return sayPacks(packs, invocation);
  const { agents } = await project.agents();
  const own = [...agents.values()].filter(({ scope }) => scope === "project");
  const choice = await choose(invocation, options, { packs, own });
  if (!choice) return sayLeft(invocation);
  const { pack, template, model } = choice;
  const made: WrittenFiles = { created: [], kept: [] };
  if (pack) await copyNewFiles(pack.files, { from: project.builtinFolder, folder, below: "agents/" }, made);
  if (template?.folder) await copyTemplate(template.folder, choice, folder, made);
  const plays = template?.folder && !model ? { script: SCRIPT } : {};
  await writeNewFile(
    folder,
    "cadre.yaml",
    configText({ ...plays, ...(model ? { keyed: model } : {}) }),
    made,
  );
  await ignoreStateFolder(folder, made);
  return sayMade(made, choice, invocation);
}

/** Returns undefined if the person left a question without an answer. */
async function choose(
  invocation: Invocation,
  { pack, template }: InitOptions,
  { packs, own }: { packs: readonly Pack[]; own: Agent[] },
): Promise<Choice | undefined> {
  const { io } = invocation;
  const keyed = modelsByKey(io.env);
  const first = { own, ...(keyed[0] ? { model: keyed[0] } : {}) };
  const chosen = {
    ...(template === undefined ? {} : { template: templateNamed(template, own) }),
    ...(pack === undefined ? {} : { pack: findPack(packs, pack) }),
  };
  if (Object.keys(chosen).length > 0 || !isAttended(invocation)) return { ...first, ...chosen };
  const { askModel, askTemplate } = await import("../init/prompts.ts");
  // A person who already has agents most likely wants those, so they come first.
  const existing = TEMPLATES.filter(({ folder }) => folder === undefined && own.length > 0);
  const offered = [...existing, ...TEMPLATES.filter(({ folder }) => folder !== undefined)];
  const wanted = await askTemplate(io, offered);
  if (wanted === undefined) return undefined;
  const model = keyed.length > 1 ? await askModel(io, keyed) : keyed[0];
  if (keyed.length > 1 && model === undefined) return undefined;
  return { own, ...(wanted === "nothing" ? {} : { template: wanted }), ...(model ? { model } : {}) };
}

function templateNamed(name: string, own: readonly Agent[]): Template {
  const template = findByName("template", TEMPLATES, name);
  if (template.folder !== undefined || own.length > 0) return template;
  const message =
    "No agents were found in .claude/agents, .opencode/agent, .github/agents or agents. Nothing was changed.";
  throw new CadreError("USAGE", message);
}

/** Leaves out the script if a real model was found. */
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

function sayPacks(packs: readonly Pack[], { json, screen, io, commandLine }: Invocation): number {
  if (json) {
    screen.line(jsonLine(packs.map(({ name, about, files }) => ({ name, about, files }))));
    return EXIT.done;
  }
  const rows = packs.map(({ name, about, files }) => [
    screen.paint("bold", plainLine(name)),
    plural(files.filter((file) => !/README\.md$/i.test(file)).length, "agent"),
    plainLine(about),
  ]);
  for (const line of table(rows, io.stdout.isTTY ? screen.columns : undefined)) screen.line(line);
  screen.line(`\nCopy one: ${commandLine("init --pack <pack>")}`);
  return EXIT.done;
}

function sayLeft({ screen }: Invocation): number {
  screen.line("Nothing was changed.");
  return EXIT.interrupted;
}

function sayMade(made: WrittenFiles, choice: Choice, { json, screen, commandLine }: Invocation): number {
  const next = nextSteps(choice, commandLine);
  if (json) {
    screen.line(jsonLine({ ...made, next }));
    return EXIT.done;
  }
  for (const file of made.created) screen.line(`${screen.paint("green", "created")}  ${plainLine(file)}`);
  for (const file of made.kept)
    screen.line(screen.paint("dim", `kept     ${plainLine(file)} (it already existed)`));
  if (choice.template && !choice.template.folder)
    for (const { name, file } of choice.own)
      screen.line(`${screen.paint("green", "found")}    ${plainLine(`${name}, in ${file}`)}`);
  for (const line of fitLines(["", modelWords(choice)], screen)) screen.line(line);
  screen.line("\nNext:");
  for (const command of next) screen.line(`  ${command}`);
  return EXIT.done;
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
