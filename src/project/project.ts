// A project as its files define it: configuration, models, tools and agents. The store is not part of the project.
// Opening a project creates nothing and runs nothing.
// Only `project/` and `runtime/` choose concrete implementations. `runtime/` adds the store, the engine and the loop.

import { homedir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent, ModelNames } from "../agents/agent.ts";
import type { AgentInCode } from "../agents/agent-in-code.ts";
import { loadEditedAgent } from "../agents/edited-agent.ts";
import { blastRadius } from "../agents/explain/blast-radius.ts";
import { explain } from "../agents/explain/explain.ts";
import type { Explanation } from "../agents/explain/explanation-schema.ts";
import type { OfferedTool } from "../agents/explain/reach.ts";
import { describeUnpriced, unpricedUnderLimit } from "../agents/explain/unpriced.ts";
import { type AgentFile, agentFile } from "../agents/files/agent-file.ts";
import type { AgentFolders } from "../agents/files/folders.ts";
import { type InstructionProblem, problemSentence } from "../agents/instructions/read-instructions.ts";
import { type AgentSet, findAgent } from "../agents/load.ts";
import { loadSteps } from "../agents/load-steps.ts";
import type { LoadedSteps } from "../agents/loaded-steps.ts";
import { markDelegates } from "../agents/mark-delegates.ts";
import { composePrompt } from "../agents/prompt.ts";
import { pinSkills } from "../agents/skills/pin-skills.ts";
import { type CommandSet, readCommands } from "../agents/skills/read-commands.ts";
import { readSkills, type SkillSet } from "../agents/skills/read-skills.ts";
import { type FileReport, validateFiles } from "../agents/validate-files.ts";
import { watchAgents } from "../agents/watch-agents.ts";
import { systemClock } from "../clock.ts";
import { type Config, type ConfigFlags, loadConfig } from "../config/config.ts";
import { createHookCheck, type HookCheck } from "../config/hook-pins.ts";
import { readPlainFile } from "../config/plain-file.ts";
import { poolNames } from "../config/pools.ts";
import type { Problem } from "../config/problem.ts";
import { findKeyFiles } from "../config/secrets.ts";
import type { Env } from "../config/trust.ts";
import { CadreError, toCadreError } from "../errors.ts";
import type { Definition, Rules, RunRules } from "../journal/definition.ts";
import type { Payload } from "../journal/events.ts";
import type { Mask } from "../journal/masking/mask.ts";
import type { Reasoning } from "../journal/reasoning.ts";
import { canReach } from "../journal/tool-facts.ts";
import { ADMIN_TOOLS } from "../loop/builtin-tools/declared/admin-tools.ts";
import { currentRunsRule } from "../loop/builtin-tools/declared/child-runs.ts";
import { availableDelegates } from "../loop/builtin-tools/declared/delegate.ts";
import { BUILTIN_TOOL_NAMES } from "../loop/builtin-tools/declared/index.ts";
import { resolveLimits } from "../loop/commands/admit.ts";
import { offeredTools as offersOf } from "../loop/model/call-model.ts";
import type { CheckPrices, FindBlastRadius, Hooks } from "../loop/parts.ts";
import { serversOfAgent, toolName } from "../mcp/names.ts";
import { createServers, type McpServers } from "../mcp/servers.ts";
import { modelsByKey } from "../models/default-model.ts";
import type { Model, PriceOf } from "../models/model.ts";
import { createPrices } from "../models/prices.ts";
import { createModels, type ModelRegistry } from "../models/registry.ts";
import { parseScript, type Script } from "../models/scripted/script.ts";
import { createModelNames } from "../models/substitute.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { ownToolsOf } from "../patterns/declarations/facts.ts";
import { isTeamMember } from "../patterns/team-role.ts";
import type { SourcedRules } from "../permissions/permission.ts";
import { isProtectedPath } from "../permissions/protected-files.ts";
import { configRuleProblems } from "../permissions/rule-problems.ts";
import { rulesFor } from "../permissions/rules.ts";
import { emptyRunState } from "../projections/folds/run-state.ts";
import { ASK_USER } from "../projections/folds/tool-call.ts";
import { systemIds } from "../system-ids.ts";
import { createHooks } from "../tools/hooks/create-hooks.ts";
import { createMatcher } from "../tools/hooks/match-hooks.ts";
import { toolsFor } from "../tools/index.ts";
import { inputSchemaOf } from "../tools/input-schema.ts";
import { findSandbox, reportSandbox, type SandboxReport } from "../tools/sandbox/find-sandbox.ts";
import { cleanEnvironment } from "../tools/shell/clean-environment.ts";
import type { AnyTool } from "../tools/tool.ts";
import { canonicalRule } from "../tools/tool-names.ts";
import { claudePermissions } from "./claude-permissions.ts";
import { claudeSettingsProblems, type SettingsContext } from "./claude-settings-problems.ts";
import { readEnvironment } from "./environment.ts";
import { type ProjectInstructions, projectInstructions } from "./instructions.ts";
import { createProjectMask } from "./mask.ts";
import { createNamedFiles, type NamedFiles } from "./named-files.ts";

export interface ProjectOptions {
  /** The folder that contains the agents and cadre.yaml. Runs work in this folder. */
  folder: string;
  env?: Env;
  flags?: ConfigFlags;
  home?: string;
  /** Scripts for the models `scripted/<name>`, in addition to the project's `<name>.script.yaml` files. */
  scripts?: Readonly<Record<string, Script>>;
  /** Tools in addition to the built-in tools. */
  tools?: readonly AnyTool[];
  /** Agents defined in code. They take precedence over agent files with the same name. */
  agents?: readonly AgentInCode[];
  /** Model objects that a program gives, by the names under which agents use them. */
  models?: ReadonlyMap<string, Model>;
  /** MCP servers that a program declares. They take precedence over servers with the same name in the project's files. */
  mcpServers?: Config["mcpServers"];
  /** Rules that a program gives for all its runs. */
  permissions?: Rules;
}

export interface Project {
  readonly config: Config;
  /** The rules that apply to every run: those of Claude Code's settings files, then those of cadre.yaml. */
  readonly authority: readonly SourcedRules[];
  /** The default model. If no API key was found, this is a scripted model whose answer says that no model was called. */
  readonly defaultModel: string;
  /** Folder with the agents that come with Cadre. */
  readonly builtinFolder: string;
  readonly models: ModelRegistry;
  readonly priceOf: PriceOf;
  /** Whether the cost of the model's calls is known. */
  hasPrice(model: string): boolean;
  /** All tools: the built-in tools, the pinned tools of MCP servers, and the tools given in the options. */
  readonly tools: readonly AnyTool[];
  /** All tools, by name and alias. Returns a new map when the tools have changed. */
  toolsByName(): ReadonlyMap<string, AnyTool>;
  readonly servers: McpServers;
  readonly hooks: Hooks;
  /** Asks the agent's MCP servers for their tools, once. Returns the problems. The agent runs without servers that have a problem. */
  prepareServers(definition: Definition): Promise<string[]>;
  readonly mask: Mask;
  /** The files that the configuration names to run or to obey. They are protected. */
  readonly namedFiles: NamedFiles;
  readonly instructions: ProjectInstructions;
  /** Reads the agents from disk. If `name` is given, the result might contain only that agent and the agents it names. */
  agents(name?: string): Promise<AgentSet>;
  /** Finds an agent and compiles it for a run. Throws AGENT_NOT_FOUND, AGENT_INVALID, or the error about the agent's model. */
  find(name: string, change?: (definition: Definition) => Definition): Promise<Definition>;
  /** Compiles a pinned agent with new content of its file. Throws AGENT_INVALID, or the error about the agent's model. */
  findEdited(pinned: Definition, text: string): Promise<Definition>;
  /** Reads the skills of the project, of the user and of packs. */
  skills(): Promise<SkillSet>;
  /** Reads the commands of Claude Code, which people start as `/name`. */
  commands(): Promise<CommandSet>;
  /** Checks the project's files other than agents: skills, commands, and settings of Claude Code that Cadre does not use. */
  checkOtherFiles(): Promise<FileReport[]>;
  /** Checks agent files of any supported product, in any folder. */
  checkFiles(paths: readonly string[]): Promise<FileReport[]>;
  /** Describes what an agent can reach and is allowed to do, without running the agent. */
  explain(name: string): Promise<Explanation>;
  /** Reads an agent's file from disk. */
  agentFile(file: string): Promise<AgentFile | undefined>;
  /** Returns the tools offered to an agent. */
  offeredTools(definition: Definition): OfferedTool[];
  /** Loads the steps module that controls an agent. */
  loadSteps(steps: NonNullable<Definition["steps"]>): Promise<LoadedSteps>;
  chooseModel(name: string, reasoning?: Reasoning): { model: string } | { problem: string };
  systemPrompt(definition: Definition, start: Payload<"RUN_STARTED">, startedAt: number): string;
  /**
   * Returns the exact prompt and the tools that the model would get for a root run. Starts and pins MCP servers that were never
   * used, as a run would. `problems` says why tools of a server are missing.
   */
  prompt(name: string, task: string): Promise<ExactPrompt>;
}

export interface ExactPrompt {
  agent: string;
  problems: string[];
  prompt: string;
  tools: PromptTool[];
}

export interface PromptTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

const BUILTIN_FOLDER = fileURLToPath(new URL("../../agents", import.meta.url));

export function openProject(options: ProjectOptions): Project {
  const { folder, env = process.env, home = homedir() } = options;
  const read = loadConfig({ folder, env, ...omitUndefined({ flags: options.flags }) });
  const config = { ...read, mcpServers: { ...read.mcpServers, ...options.mcpServers } };
  const namedFiles = createNamedFiles(config);
  const builtin = toolsFor({
    bash: {
      sandbox: config.sandbox,
      folder: config.folder,
      stateFolder: config.dir,
      isProtected: isProtectedPath,
      named: namedFiles.list,
      keyFiles: findKeyFiles,
      watcher: fileURLToPath(new URL(`./background-watcher${extname(import.meta.url)}`, import.meta.url)),
    },
    loki: { settings: config.loki, env },
    prometheus: { settings: config.prometheus, env },
    services: { services: config.services, folder: config.folder },
    web: { settings: config.web, ownPort: config.server.port },
    search: { settings: config.search, env },
    skills: { project: config.folder, user: home, builtin: BUILTIN_FOLDER },
  });
  const servers = serversOf(config, options.mcpServers ?? {}, env, home);
  const checkHook = createHookCheck(config.folder, env);
  config.problems.push(...serverProblems(config, servers), ...hookProblems(config.hooks, checkHook));
  const own = [
    ...builtin.filter(({ group }) => group === undefined || !servers.names.includes(group)),
    ...(options.tools ?? []),
  ];
  const { tools, byName } = catalogue(own, servers);
  const models = modelsOf(config, env, options);
  const priceOf = createPrices(config.prices, models.listedAs);
  const hasPrice = (model: string): boolean => priceOf(model, { input: 1, output: 1 }) !== null;
  const defaultModel = config.model ?? modelsByKey(env)[0]?.model ?? REHEARSAL;
  const toolNames = [...byName().keys(), ...BUILTIN_TOOL_NAMES, ...DELEGATION_NAMES];
  config.problems.push(...configRuleProblems(config, toolNames));
  const authority = authorityOf(config, home, tools(), options.permissions);
  const folders: AgentFolders = {
    project: config.folder,
    user: home,
    builtin: BUILTIN_FOLDER,
    inCode: options.agents ?? [],
    roles: { value: config.roles, at: config.at },
  };
  const names = createModelNames({
    default: defaultModel,
    aliases: config.aliases,
    providers: models.providers,
    hasKey: models.hasKey,
  });
  const known = {
    models: names,
    toolNames,
    patches: own.filter((tool) => canReach(tool, "files")),
    servers: servers.names,
    reasoningProblem: models.reasoningProblem,
    pools: poolNames(config.pools),
    handoffPass: config.handoff?.pass,
  };
  const agents = watchAgents(folders, known);
  const mask = createProjectMask({ folder: config.folder, env, config });
  const instructions = projectInstructions({ config, authority, env, home, mask, nonce: systemIds.nonce });
  const compose = systemPrompt(tools);
  const toolsOf = (definition: Definition) =>
    offeredTools(withToolNames(definition, own), tools()).concat(
      ADMIN_TOOLS.filter((tool) => tool.listedBy!(definition, { offers })),
    );
  const ready = (definition: NonNullable<Agent["definition"]>) =>
    pinSkills(withToolNames(definition, own), async () => (await readSkills(folders)).skills, config.trusted);
  const markedFor = (definition: Definition, scope: Agent["scope"], set: AgentSet) =>
    config.trusted ? definition : markDelegates(definition, scope, set, systemIds.nonce);
  const definitionNamed = async (name: string) => {
    const set = await agents(name);
    const { definition, scope } = findAgent(set, name);
    return ready(markedFor(definition, scope, set));
  };
  return {
    config,
    authority,
    defaultModel,
    builtinFolder: folders.builtin,
    models,
    priceOf,
    hasPrice,
    get tools() {
      return tools();
    },
    toolsByName: byName,
    servers,
    hooks: createHooks(config.hooks, config.folder, checkHook),
    prepareServers: (definition) => servers.ready(serversOfAgent(definition, servers.names)),
    mask,
    namedFiles,
    instructions,
    agents,
    find: async (name, change = (definition) => definition) =>
      requireUsable(change(await definitionNamed(name)), models),
    async findEdited({ source: { file } }, text) {
      const { definition } = await loadEditedAgent(folders, known, { file, text, trusted: config.trusted });
      return requireUsable(await ready(markedFor(definition, "builtin", await agents())), models);
    },
    checkFiles: (paths) => validateFiles(paths, known),
    skills: () => readSkills(folders),
    commands: () => readCommands(folders),
    checkOtherFiles: async () => [
      ...settingsReports(config, { home, toolNames }),
      ...(await instructions.find({})).problems.map(instructionReport),
      ...(await readSkills(folders)).files.map(fileReport("skill")),
      ...(await readCommands(folders)).files.map(fileReport("command")),
    ],
    offeredTools: toolsOf,
    async explain(name) {
      const set = await agents(name);
      const { limits } = config;
      const agent = findAgent(set, name);
      const { files, problems } = await instructions.find(agent.definition);
      return explain(agent, {
        instructions: {
          files: files.map(({ file, text }) => ({ file, characters: text.length })),
          trusted: config.trusted,
          problems: problems.map(problemSentence),
        },
        agents: set.agents,
        offered: toolsOf,
        limits,
        hasPrice,
        deny: authority.flatMap(({ rules }) => rules.deny),
      });
    },
    agentFile: (file) => agentFile(folders, file),
    loadSteps: (steps) =>
      loadSteps(steps, {
        folders,
        trusted: config.trusted,
        async confine(argv, root) {
          const found = await findSandbox(config.sandbox);
          if ("problem" in found || found.sandbox.name !== "bwrap") return argv;
          const paths = [{ path: root, isFolder: true, access: "read" as const }];
          return (await found.sandbox.wrap(argv, { workspace: "/", paths, network: "off" })).argv;
        },
      }),
    chooseModel: (name, reasoning) => chooseModel(name, reasoning, names, models),
    systemPrompt: compose,
    async prompt(name, task) {
      const definition = await instructions.pin(await definitionNamed(name));
      // The tools of a server without a pin are known only after its first start, which is also how a run learns them.
      const problems = await servers.ready(serversOfAgent(definition, servers.names));
      const limits = resolveLimits(config.limits, definition.limits, {});
      const environment = await readEnvironment(config.folder, Date.now(), config);
      const at = { depth: 0, attended: true, workspace: config.folder, environment };
      const start = { task, ...at, limits } as Payload<"RUN_STARTED">;
      const view = { definition, state: { ...emptyRunState(), start } };
      const offered = offersOf(view, { tools: byName(), offers, inputSchema: inputSchemaOf });
      return {
        agent: definition.name,
        problems,
        prompt: compose(definition, start, Date.now()),
        tools: offered.map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema })),
      };
    },
  };
}

/** Reports settings of Claude Code and `.mcp.json` that Cadre does not use. The problems of cadre.yaml are not included. */
function settingsReports({ claudeSettings, problems }: Config, context: SettingsContext): FileReport[] {
  const found = [
    ...problems.filter(({ file }) => file !== "cadre.yaml"),
    ...claudeSettings.flatMap((settings) => claudeSettingsProblems(settings, context)),
  ];
  return [...Map.groupBy(found, ({ file }) => file)].map(([file, own]) => ({
    file,
    dialect: "claude",
    status: "warnings",
    problems: own,
  }));
}

const instructionReport = ({ file, message }: InstructionProblem): FileReport => ({
  ...{ file, dialect: "instructions", status: "warnings" },
  problems: [{ file, line: 1, column: 1, code: "INSTRUCTIONS", severity: "warning", message }],
});

const fileReport =
  (dialect: string) =>
  ({ file, name, problems }: SkillSet["files"][number]): FileReport => {
    const status = name === undefined ? "skipped" : problems.length > 0 ? "warnings" : "loaded";
    return { file, dialect, status, problems, ...omitUndefined({ name }) };
  };

/** Collects all rules. The last preset wins, so the program's rules come after those of cadre.yaml. */
function authorityOf(
  config: Config,
  home: string,
  tools: readonly AnyTool[],
  ofProgram: Rules | undefined,
): SourcedRules[] {
  const { claudeSettings, trusted, permissions, web } = config;
  const taken = claudeSettings.map((settings) => claudePermissions(settings, { trusted, home }));
  // In a trusted folder, hosts that cadre.yaml lists need no approval. In an untrusted folder, the list only excludes other hosts.
  const listed = trusted
    ? web.allow.flatMap((host) => [`WebFetch(domain:${host})`, `WebFetch(domain:*.${host})`])
    : [];
  const sites =
    listed.length > 0 ? [{ source: "project web.allow", rules: { allow: listed, ask: [], deny: [] } }] : [];
  const program = ofProgram ? [{ source: "program", rules: ofProgram }] : [];
  return [...taken, { source: "project", rules: permissions }, ...sites, ...program].map((sourced) => ({
    ...sourced,
    rules: canonicalRules(sourced.rules, tools),
  }));
}

function serversOf(config: Config, inCode: Config["mcpServers"], env: Env, home: string): McpServers {
  const { mcpServers, folder } = config;
  // One MCP server process serves all runs, so its environment contains no CADRE_RUN_ID.
  const { CADRE_RUN_ID: _, ...environment } = cleanEnvironment(folder, "", env);
  return createServers({
    ...{ servers: mcpServers, inCode: new Set(Object.keys(inCode)) },
    ...{ folder, env, home, environment, clock: systemClock },
  });
}

function hookProblems(hooks: Config["hooks"], check: HookCheck): Problem[] {
  return hooks.flatMap((hook) => {
    const severity = "warning" as const;
    const { problem } = createMatcher(hook.matcher);
    const unread = `the matcher \`${hook.matcher}\` of a hook cannot be read (${problem}), so the hook runs for every tool`;
    const changed = check(hook);
    const unpinned = `the hook \`${hook.command}\` is not run: ${changed}`;
    const suggestion = "look at it, and run `cadre trust` if it is right";
    return [
      ...(problem === undefined ? [] : [{ ...hook.at, code: "HOOK_MATCHER", severity, message: unread }]),
      ...(changed === undefined
        ? []
        : [{ ...hook.at, code: "HOOK_CHANGED", severity, message: unpinned, suggestion }]),
    ];
  });
}

function serverProblems({ at }: Config, { problems }: McpServers): Problem[] {
  return problems.map(({ server, message, suggestion }) => ({
    file: "cadre.yaml",
    ...at(["mcpServers", server]),
    code: "MCP_SERVER",
    severity: "warning",
    message: `the MCP server \`${server}\` ${message}`,
    ...omitUndefined({ suggestion }),
  }));
}

/** Collects all current tools. The lists are rebuilt only when the tools of the MCP servers have changed. */
function catalogue(own: readonly AnyTool[], servers: McpServers) {
  let made = { of: undefined as readonly AnyTool[] | undefined, tools: own, byName: toolsByName(own) };
  const now = () => {
    if (servers.names.length === 0) return made;
    const of = servers.tools();
    if (made.of === of) return made;
    const tools = [...own, ...of];
    made = { of, tools, byName: toolsByName(tools) };
    return made;
  };
  return { tools: () => now().tools, byName: () => now().byName };
}
/** Reports which sandbox is used for commands on this machine, and why other sandboxes do not work. */
/** Whether commands run in a sandbox on this machine. Tries only as many sandboxes as needed. */
export async function hasSandbox({ sandbox }: Pick<Config, "sandbox">): Promise<boolean> {
  const found = await findSandbox(sandbox);
  return "sandbox" in found && found.sandbox.name !== "none";
}

export const inspectSandbox = ({ sandbox }: Pick<Config, "sandbox">): Promise<SandboxReport> =>
  reportSandbox(sandbox);

function offeredTools(definition: Definition, tools: readonly AnyTool[]): OfferedTool[] {
  return tools
    .filter((tool) => offers(definition, tool))
    .map(({ name, effect, reaches, hosts, target, partOf, server }) => ({
      name,
      effect,
      reaches,
      ...omitUndefined({ hosts, target, partOf, server }),
    }));
}

function modelsOf(
  config: Config,
  env: Env,
  { scripts = {}, models }: Pick<ProjectOptions, "scripts" | "models">,
): ModelRegistry {
  return createModels({
    providers: config.providers as NonNullable<Parameters<typeof createModels>[0]["providers"]>,
    ignoresProviders: config.ignoredSettings.some(({ key }) => key === "providers"),
    aliases: config.aliases,
    contextWindows: config.contextWindows,
    env,
    ...omitUndefined({ given: models }),
    scripts: (name) =>
      scripts[name] ?? (REHEARSAL === `scripted/${name}` ? rehearsal : projectScript(config.folder, name)),
  });
}

const MAX_SCRIPT = 1_000_000;

function projectScript(folder: string, name: string): Script {
  const file = join(folder, `${name}.script.yaml`);
  try {
    if (dirname(file) !== join(folder)) throw new Error("The name leads out of the folder.");
    return parseScript(readPlainFile(file, MAX_SCRIPT), `${name}.script.yaml`);
  } catch (error) {
    if (error instanceof CadreError) throw error;
    throw new CadreError("MODEL_UNKNOWN", {
      reason: `scripted/${name} needs the script ${name}.script.yaml in the project's folder, which cannot be read: put it there, or choose another model.`,
      assurance: "Nothing was started.",
    });
  }
}

/** The model of agents that name none, if there is no API key. */
export const REHEARSAL = "scripted/rehearsal";

/** Whether an agent with this definition would get only answers of the rehearsal model, which a person or a program could take for success. */
export const wouldRehearse = (
  definition: Pick<Definition, "runner" | "steps"> | undefined,
  models: readonly string[],
): boolean =>
  definition !== undefined &&
  !definition.runner &&
  !definition.steps &&
  models.every((model) => model === REHEARSAL);

/** The script of the model that is used if there is no API key. Its answer says that no model was called. */
const rehearsal: Script = ({ task }) => ({
  text: `This is a rehearsal by the scripted model: no provider's key was found, so no model was called and nothing was done. The task was: ${task}\n\nSet ANTHROPIC_API_KEY (or OPENAI_API_KEY, GEMINI_API_KEY, or \`model:\` in cadre.yaml) for real work. Without a key it can play a script of yours: docs/scripted-model.md of Cadre.`,
});

/** Refuses an agent if none of its models can be used. Otherwise a run would start and then fail. */
function requireUsable(definition: Definition, models: ModelRegistry): Definition {
  if (definition.runner) return definition;
  let problem: unknown;
  for (const name of definition.models) {
    try {
      models.resolve(name);
      return definition;
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
}

/** Resolves the model that a person or a parent run chose for a run. If that model cannot be used, no other model replaces it. */
function chooseModel(
  name: string,
  reasoning: Reasoning | undefined,
  names: ModelNames,
  models: ModelRegistry,
): { model: string } | { problem: string } {
  const { model, why } = names.resolve(name);
  if (why !== undefined)
    return {
      problem: `The model \`${name}\` ${why}: write provider/model, or leave \`model\` out for the agent's own.`,
    };
  const cannot = reasoning && models.reasoningProblem(model, reasoning);
  if (cannot) return { problem: `The agent asks for \`reasoning: ${reasoning}\`, but ${model} ${cannot}.` };
  try {
    models.resolve(model);
    return { model };
  } catch (error) {
    // Returns only the reason, because the caller adds a sentence that says whether a run was started.
    return { problem: toCadreError(error).reason };
  }
}

/** Replaces tool aliases in an agent's rules with the tools' own names. A deny rule with an alias would have no effect. */
function withToolNames(definition: NonNullable<Agent["definition"]>, tools: readonly AnyTool[]): Definition {
  const canonical = (rules: readonly string[]) => canonicalList(rules, tools);
  const { allow, ask, deny } = definition.tools;
  const ofServers = (definition.mcpServers ?? []).map((name) => toolName(name, "*"));
  return {
    ...definition,
    tools: {
      ...(allow ? { allow: [...canonical(allow), ...ofServers] } : {}),
      ask: canonical(ask),
      deny: canonical(deny),
    },
    ...omitUndefined({ toolNames: toolNamesIn(allow ?? [], tools) }),
    permissions: { ask: canonical(definition.permissions.ask), deny: canonical(definition.permissions.deny) },
  };
}

/** The aliases in a list of tools. A tool that is also listed by its own name keeps that name. */
function toolNamesIn(
  allow: readonly string[],
  tools: readonly AnyTool[],
): Record<string, string> | undefined {
  const listed = new Set(allow.map((rule) => rule.replace(/\(.*/s, "").trim()));
  const renamed = tools.flatMap(({ name, aliases = [] }) => {
    const alias = listed.has(name) ? undefined : aliases.find((each) => listed.has(each));
    return alias === undefined ? [] : [[name, alias] as const];
  });
  return renamed.length === 0 ? undefined : Object.fromEntries(renamed);
}

const canonicalList = (rules: readonly string[], tools: readonly AnyTool[]): string[] =>
  rules.map((rule) => canonicalRule(loopRule(rule), tools));

/** Names of the delegation tool in other products. */
const DELEGATION_NAMES = ["Task"];

/** Replaces the aliases of the delegation tool and of the question tool. */
const loopRule = (rule: string): string =>
  currentRunsRule(rule)
    .replace(/^\s*(delegate_to_agent|mcp__agent__spawn|task)(?=\s*(\(|$))/i, "delegate")
    .replace(/^\s*(askuser|askuserquestion|ask_user)(?=\s*(\(|$))/i, ASK_USER);

export const canonicalRules = (rules: RunRules, tools: readonly AnyTool[]) => ({
  ...omitUndefined({ preset: rules.preset, sparesProtected: rules.sparesProtected }),
  allow: canonicalList(rules.allow, tools),
  ask: canonicalList(rules.ask, tools),
  deny: canonicalList(rules.deny, tools),
});

export function toolsByName(tools: readonly AnyTool[]): Map<string, AnyTool> {
  const names = tools.flatMap((tool) =>
    [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool] as const),
  );
  return new Map(names);
}

type OfferFacts = OfferedTool & Pick<AnyTool, "idle" | "needsSkills" | "group">;

/** Both a definition and a tool never change, so the answer is kept. Every step asks several times. */
const knownOffers = new WeakMap<Definition, WeakMap<OfferFacts, boolean>>();

export function offers(definition: Definition, tool: OfferFacts): boolean {
  const byTool = knownOffers.get(definition) ?? new WeakMap<OfferFacts, boolean>();
  knownOffers.set(definition, byTool);
  const known = byTool.get(tool);
  if (known !== undefined) return known;
  const found = mayUse(definition, tool);
  byTool.set(tool, found);
  return found;
}

function mayUse(definition: Definition, tool: OfferFacts): boolean {
  const { tools, readOnly, mcpServers = [], skills = [] } = definition;
  if (tool.needsSkills && skills.length === 0) return false;
  const { allow, deny } = tools;
  // A router gets no tools, because it only chooses an agent (S3-24). A read-only agent gets only tools with the effect `read`.
  if (ownToolsOf(definition)?.may === "none" || (readOnly && tool.effect !== "read")) return false;
  if (rulesFor(deny, "wide", tool).some((rule) => rule.bare)) return false;
  if (tool.partOf !== undefined) {
    const whole = { name: tool.partOf };
    if (readOnly || rulesFor(deny, "wide", whole).some((rule) => rule.bare)) return false;
    return allow === undefined || rulesFor(allow, "strict", whole).some((rule) => rule.names(whole.name));
  }
  // An allow rule offers only the tool it names. `Write(src/**)` also matches commands that write to src, but it does not offer Bash.
  const server = tool.server ?? tool.group;
  if (allow === undefined) return server === undefined ? !tool.idle : mcpServers.includes(server);
  return rulesFor(allow, "strict", tool).some(
    (rule) => rule.names(tool.name) && !(tool.idle && rule.text.includes("*")),
  );
}

function systemPrompt(tools: () => readonly AnyTool[]): Project["systemPrompt"] {
  const composed = new WeakMap<object, string>();
  const offered = new WeakMap<Definition, string[]>();
  const namesFor = (definition: Definition): string[] => {
    if (definition.runner) return [];
    const names = offered.get(definition) ?? offeredTools(definition, tools()).map(({ name }) => name);
    offered.set(definition, names);
    return names;
  };
  return (definition, start, startedAt) => {
    const known = composed.get(start);
    if (known !== undefined) return known;
    const { depth, task, criteria, ancestors = [], workspace, worktree, limits } = start;
    const { maxDepth, maxDuration } = limits;
    const { ownMaxTurns: maxTurns = limits.maxTurns } = start;
    const prompt = composePrompt(definition, {
      ...omitUndefined({ parent: ancestors.at(-1)?.agent, criteria }),
      ...{ task, depth, maxDepth, maxTurns, maxDuration },
      ...(worktree ? {} : { workspace }),
      ...omitUndefined({ environment: start.environment }),
      inTeam: isTeamMember(definition, start),
      delegates: availableDelegates(definition, start),
      delegation: definition.delegation?.mode ?? "sequential",
      now: startedAt,
      tools: namesFor(definition),
    });
    composed.set(start, prompt);
    return prompt;
  };
}

/** Computes the blast radius of an agent of this project. */
export const createBlastRadius =
  ({ agents, offeredTools: offered, hasPrice, config: { limits } }: Project): FindBlastRadius =>
  async (name, { tree, ...where }) => {
    const set = await agents(name);
    const parts = { agents: set.agents, offered, hasPrice, limits: { ...limits, tree }, ...where };
    return blastRadius(findAgent(set, name).definition, parts);
  };

/** Checks whether the limits on cost of a run and its tree can be kept (B5). */
export const createPriceCheck =
  ({ agents, offeredTools: offered, hasPrice, config }: Project): CheckPrices =>
  async (definition, limits) => {
    const hasLimit = [limits, limits.tree, config.limits].some((one) => one?.maxCost !== undefined);
    const set = await agents(definition.name);
    if (
      !hasLimit &&
      ![...set.agents.values()].some((agent) => agent.definition?.limits.maxCost !== undefined)
    )
      return {};
    const parts = { agents: set.agents, offered, hasPrice, limits: config.limits };
    const unpriced = unpricedUnderLimit(definition, limits, parts);
    if (unpriced.length === 0) return {};
    return config.onUnknownPrice === "allow"
      ? { unpriced: unpriced.map(({ model }) => model) }
      : { problem: describeUnpriced(unpriced) };
  };

export { EXAMPLE_MODEL, type KeyedModel, modelsByKey } from "../models/default-model.ts";
