// Compiles the keys of an agent file into a definition. A run keeps the definition that it started with.
// A doubtful value can only take permissions away from the agent.
// Names of other agents stay as the file spells them, until `references.ts` resolves them.

import { hasErrors, type Problem } from "../../config/problem.ts";
import { readKeys } from "../../config/read-keys.ts";
import type { Data, YamlDocument } from "../../config/yaml.ts";
import { agentId } from "../../journal/agent-id.ts";
import {
  type AgentLimits,
  DEFAULT_DELEGATION,
  type Definition,
  type Runner,
} from "../../journal/definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { ALL_PATTERNS, type PatternKey, type PinnedPatterns } from "../../patterns/declarations/facts.ts";
import type { Agent, AgentEnvironment, ModelNames, ReportProblem } from "../agent.ts";
import { dialects } from "../dialects/index.ts";
import { type Draft, draftDocument } from "../files/draft.ts";
import { HIDDEN_TEXT, isMapping } from "../files/parse.ts";
import { AGENT_KEYS, type AgentValues, canonicalKey, KEY_ALIASES } from "../frontmatter.ts";
import { referencesOf } from "./references.ts";
import { allowedDelegates, readPolicy, toolGate } from "./tool-gate.ts";

export function compileAgent(draft: Draft, known: AgentEnvironment): Agent {
  const document = draftDocument(draft);
  const { values, problems: keyProblems } = checkKeys(document, draft.dialect);
  const problems = [...draft.problems, ...keyProblems];
  const at = (key: string) => document.at([writtenKey(draft.keys, key)], "key");
  const report: ReportProblem = (key, problem) =>
    problems.push({ file: draft.file, ...at(key), severity: "warning", ...problem });
  const tools = toolGate({ values, document, report, ...known });
  const { name, file, dialect, scope } = draft;
  const agent = { name, file, dialect, scope, references: referencesOf(values, document), problems, at };
  if (hasErrors(problems)) return { ...agent, definition: undefined };
  checkPool(values, known, report);
  checkHidden(values, report);
  checkVerbs(values, report);
  const { models, servers, handoffPass } = known;
  const definition = compile({ draft, values, models, servers, handoffPass, report }, tools);
  // Another product's key of this name means something else, so it starts nothing.
  const schedule = dialect === "cadre" ? values.schedule : undefined;
  return {
    ...agent,
    definition: hasErrors(problems) ? undefined : definition,
    ...omitUndefined({ schedule }),
  };
}

/** An unknown pool is ignored with a warning (E6). No worker would serve it, so a run in this pool would wait forever. */
function checkPool({ pool }: AgentValues, { pools }: AgentEnvironment, report: ReportProblem): void {
  if (!pool || !pools || pools.includes(pool)) return;
  const message = `there is no pool \`${pool}\`: \`pools\` in cadre.yaml names ${pools.join(", ")}; any worker takes its runs`;
  report("pool", { code: "UNKNOWN_POOL", message });
}

/** S4-16: reports an agent that has delegates in its file but can never delegate. */
function checkVerbs(values: AgentValues, report: ReportProblem): void {
  const policy = readPolicy(values);
  if (values.kind === "subagent" && policy.verbs?.includes("Delegate")) {
    const message = "a subagent never delegates, so `Delegate` has no effect";
    report("policy", { code: "SUBAGENT_DELEGATES", message, suggestion: "make it `kind: main`" });
  }
  if (values.kind === "subagent" || allowedDelegates(values, policy).length === 0) return;
  const { tools, disallowedTools = [], permissions } = values;
  const denied = {
    tools: tools && !Array.isArray(tools) ? (tools.deny ?? []) : [],
    disallowedTools,
    permissions: permissions?.deny ?? [],
  };
  for (const [key, rules] of Object.entries(denied)) {
    const rule = rules.find((each) => ["delegate", "*"].includes(each.toLowerCase()));
    if (rule === undefined) continue;
    const message = `\`${key}\` denies \`${rule}\`: it cannot delegate to any agent`;
    report(key, { code: "DELEGATION_DENIED", message, suggestion: "remove this rule" });
  }
}

/** Reports hidden text in the keys that people and other agents' models read to choose an agent (A58). */
function checkHidden(values: AgentValues, report: ReportProblem): void {
  for (const key of ["name", "title", "description", "usage"] as const)
    for (const { code, pattern, message } of HIDDEN_TEXT)
      if (pattern.test(values[key] ?? ""))
        report(key, { code, message: message.replace("the prompt", `\`${key}\``) });
}

/** How the file spells a Cadre key. For example, the file can say `subagents` for Cadre's key `agents`. */
function writtenKey(keys: Readonly<Record<string, Data>>, key: string): string {
  return Object.keys(keys).find((written) => canonicalKey(written) === key) ?? key;
}

/** Keys that restrict the agent. If Cadre ignored a bad value of such a key, the agent could do more than its author meant. */
const GATE = new Set(["tools", "disallowedTools", "permissions", "policy", "delegate_targets"]);

/** In another product's file, a bad value gives only a warning. If its key restricts the agent, the bad value is an error. */
function checkKeys(document: YamlDocument, dialect: string): { values: AgentValues; problems: Problem[] } {
  if (dialect === "cadre") return ownKeys(document);
  const entries = Object.entries(document.data as Record<string, Data>);
  const read = (gate: boolean) => {
    const data = Object.fromEntries(entries.filter(([key]) => GATE.has(canonicalKey(key)) === gate));
    return readKeys({ ...document, data }, AGENT_KEYS, KEY_ALIASES);
  };
  const [gate, rest] = [read(true), read(false)];
  const dropped = rest.problems.map((problem): Problem => ({ ...problem, severity: "warning" }));
  return { values: { ...rest.values, ...gate.values }, problems: [...gate.problems, ...dropped] };
}

/** A misspelling of a key that restricts the agent is an error: with `toools: [Read]`, every tool would stay allowed (N3). */
function ownKeys(document: YamlDocument): { values: AgentValues; problems: Problem[] } {
  const { values, problems, misspelled } = readKeys(document, AGENT_KEYS, KEY_ALIASES);
  const restricting = misspelled.filter(({ meant }) => {
    const key = canonicalKey(meant);
    return GATE.has(key) && !(key in values);
  });
  const errors = new Set(restricting.map(({ problem }) => problem));
  const judged = problems.map(
    (problem): Problem => (errors.has(problem) ? { ...problem, severity: "error" } : problem),
  );
  return { values, problems: judged };
}

interface Compiling {
  draft: Draft;
  values: AgentValues;
  models: ModelNames;
  servers: AgentEnvironment["servers"];
  handoffPass: AgentEnvironment["handoffPass"];
  report: ReportProblem;
}

function compile(compiling: Compiling, tools: Definition["tools"]): Definition {
  const { draft, values, models, report } = compiling;
  const policy = readPolicy(values);
  const withholdsAnswer = policy.verbs !== undefined && !policy.verbs.includes("Finalize");
  return omitUndefined<Definition>({
    name: draft.name,
    title: titleOf(draft, values),
    description: descriptionOf(compiling),
    kind: values.kind ?? "main",
    ...(values.runner
      ? { models: [runnerModel(values.runner)] }
      : modelChain(values.model, draft.dialect, models, report)),
    temperature: values.temperature,
    maxOutputTokens: values.maxOutputTokens,
    reasoning: values.reasoning,
    prompt: draft.body,
    instructions: values.instructions,
    tools,
    permissions: { ask: values.permissions?.ask ?? [], deny: values.permissions?.deny ?? [] },
    agents: takesDelegates(values) ? [] : allowedDelegates(values, policy),
    mains: isDeclaredMain(values, tools) ? [] : undefined,
    delegation: values.delegation && { ...DEFAULT_DELEGATION, ...omitUndefined(values.delegation) },
    delegable: values.delegable === false ? false : undefined,
    startable: values.startable === false ? false : undefined,
    usage: values.usage,
    context: values.context,
    finalizes: withholdsAnswer ? false : undefined,
    ...pinPatterns(compiling),
    runner: values.runner,
    limits: limitsOf(values),
    input: schemaIn(values.input),
    output: schemaIn(values.output),
    workspace: values.workspace,
    pool: values.pool,
    mcpServers: serversOf(compiling, tools),
    skillNames: values.skills?.map(agentId),
    ...iconAndColor(values),
    dialect: draft.dialect === "cadre" ? undefined : draft.dialect,
    source: { file: draft.file, hash: draft.hash },
  });
}

/** S4-12: true if `kind: main`, or `*` in `tools`, declares a main agent that may use every tool. */
function isDeclaredMain({ kind, tools }: AgentValues, { allow }: Definition["tools"]): boolean {
  if (kind === "subagent" || allow !== undefined) return false;
  const named = Array.isArray(tools) ? tools : (tools?.allow ?? []);
  return kind === "main" || named.includes("*");
}

/** True if a pattern takes its agents from the key `agents`. For example, `router: true` does this. */
const takesDelegates = (values: AgentValues): boolean =>
  ALL_PATTERNS.some(({ key, takesDelegates }) => takesDelegates?.(values[key as PatternKey]));

function pinPatterns({ draft, values, handoffPass, report }: Compiling): PinnedPatterns {
  const pinned = ALL_PATTERNS.flatMap((pattern) => {
    const written = values[pattern.key as PatternKey];
    if (written === undefined) return [];
    const reportError = (problem: Pick<Problem, "code" | "message" | "suggestion">) =>
      report(pattern.key, { ...problem, severity: "error" });
    const hasSubagents = draft.keys["subagents"] !== undefined;
    const own = pattern.pin(written, {
      agents: values.agents,
      module: draft.steps,
      hasSubagents,
      // The built-in agents are written for the request and the result.
      handoffPass: draft.scope === "builtin" ? undefined : handoffPass,
      reportError,
    });
    return own === undefined ? [] : [[pattern.key, own]];
  });
  return Object.fromEntries(pinned);
}

const schemaIn = (written: unknown) => (isMapping(written) ? written : undefined);

/** An agent file can only name servers. The commands that start servers are declared in cadre.yaml and `.mcp.json`. */
function serversOf(
  { draft, values, servers = [], report }: Compiling,
  { allow }: Definition["tools"],
): string[] | undefined {
  const { mcpServers: written } = values;
  if (written === undefined) {
    const inherits = dialects.some(({ name, inheritsServers }) => inheritsServers && name === draft.dialect);
    return inherits && allow === undefined && servers.length > 0 ? [...servers] : undefined;
  }
  const names = (Array.isArray(written) ? written : []).filter((name) => typeof name === "string");
  if (!Array.isArray(written) || names.length < written.length) {
    const message = "`mcpServers` takes only names of servers; nothing else here is started";
    report("mcpServers", {
      code: "BAD_VALUE",
      message,
      suggestion: "declare them in cadre.yaml's `mcpServers`",
    });
  }
  return names;
}

function titleOf({ name }: Draft, { title, name: given }: AgentValues): string | undefined {
  return title ?? (given === undefined || given === name.split("/").at(-1) ? undefined : given);
}

function descriptionOf({ draft, values, report }: Compiling): string {
  const description = values.description?.trim();
  if (description) return description;
  // S2 has no descriptions: the first sentence of a role's prompt tells what the role is for.
  if (draft.dialect === "roles") return firstSentence(draft.body) || (values.title ?? "");
  const message = "no `description`: other agents cannot tell when to call it";
  report("description", { code: "NO_DESCRIPTION", message });
  return firstLine(draft.body);
}

const firstLine = (body: string): string =>
  plainLine(body.split("\n").find((text) => /\p{L}/u.test(text)) ?? "");

/** The first sentence of the first paragraph that is not a heading. */
function firstSentence(body: string): string {
  const paragraph = body
    .split(/\n\s*\n|\n(?=#)|(?<=^#.*)\n/m)
    .find((text) => /^[^#]*\p{L}/u.test(text.trim()));
  const text = (paragraph ?? "").replace(/\s+/g, " ").trim();
  return plainLine(/^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text);
}

const plainLine = (text: string): string => text.replace(/^[#>*\-\s]+/, "").slice(0, 200);

type ModelChain = Pick<Definition, "models" | "inheritsModel">;

/** The name of the external program. Lists, usage reports and the journal show it in place of a model. */
const runnerModel = ({ acp }: Runner): string => `acp/${acp.command.split(/[\\/]/).at(-1)}`;

function modelChain(
  model: AgentValues["model"],
  dialect: string,
  names: ModelNames,
  report: ReportProblem,
): ModelChain {
  const modelNames = (typeof model === "string" ? [model] : (model ?? [])).map((name) => name.trim());
  const chain = modelNames.map((name) => {
    if (name === "" || name === "inherit") return names.default;
    const { model: found, note } = names.resolve(name);
    if (note === undefined) return found;
    // In a Cadre file, the model of an unknown provider is reported but kept. Replacing the model would hide the mistake (A53).
    const isOwn = dialect === "cadre" && /^[^/\s]+\/\S+$/.test(name);
    report("model", isOwn ? unknownModel(name) : { code: "MODEL_SUBSTITUTED", message: note });
    return isOwn ? name : found;
  });
  const inherits = modelNames.length === 1 && modelNames[0] === "inherit";
  const models = chain.length > 0 ? [...new Set(chain)] : [names.default];
  return omitUndefined({ models, inheritsModel: inherits || undefined });
}

const unknownModel = (name: string) => ({
  code: "MODEL_UNKNOWN",
  message: `model \`${name}\` names a provider that is not known: the agent cannot run`,
  suggestion: "set the provider up in cadre.yaml, and trust the folder (`cadre trust`)",
});

function limitsOf(values: AgentValues): AgentLimits {
  const { maxTurns, maxDuration } = values;
  return { ...omitUndefined({ maxTurns, maxDuration }), ...(values.limits as AgentLimits | undefined) };
}

function iconAndColor({ icon, color }: AgentValues): Pick<Definition, "icon" | "color"> {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return omitUndefined({ icon: text(icon), color: text(color) });
}
