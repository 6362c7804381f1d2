// The keys of Cadre's agent files, with their aliases. Each key has a schema and a description.
// The JSON Schema for editors is generated from this table.

import { z } from "zod";
import { Duration } from "../config/duration.ts";
import { LimitsInput, TURNS_ALIASES } from "../config/limits.ts";
import { Count, InstructionNames, Names } from "../config/names.ts";
import { type KeyValues, onlyKeys } from "../config/read-keys.ts";
import { AgentSchedule } from "../config/schedule.ts";
import { ContextMode } from "../journal/definition.ts";
import { REASONING_LEVELS, Reasoning } from "../journal/reasoning.ts";
import { inputSchemas } from "../patterns/declarations/facts.ts";

const text = z.string();
const loose = z.looseObject({});

const ToolsMap = onlyKeys({
  allow: Names.optional().describe("All tools that it may call; absent: every tool"),
  ask: Names.optional().describe("Calls that a person must approve first"),
  deny: Names.optional().describe("What it never calls"),
});

const Verb = z.enum(["Patch", "Finalize", "Delegate"]);

const Policy = z.union([
  z.array(Verb),
  onlyKeys({ verbs: z.array(Verb).optional(), delegate_targets: Names.optional() }),
]);

const DelegationInput = z.strictObject({
  mode: z
    .enum(["sequential", "parallel"])
    .optional()
    .describe("One child at a time, or several at once (sequential)"),
  maxParallel: Count.optional().describe("Most children at the same time (3)"),
  tool: z
    .enum(["generic", "per-agent", "delegate_to_agent", "mcp__agent__spawn"])
    .optional()
    .describe("One tool for all delegates, or one for each (generic)"),
  onFailure: z
    .enum(["return", "fail", "retry"])
    .optional()
    .describe("What happens when a child fails (return)"),
  onTimeout: z
    .enum(["return", "fail"])
    .optional()
    .describe(
      "What happens if a child reaches its time limit, even if it could still report, or if nobody decides on its call in time (as `onFailure` says)",
    ),
  atEnd: z
    .enum(["wait", "cancel"])
    .optional()
    .describe("What happens at the end to children that it did not wait for (wait)"),
});

const RunnerInput = z.strictObject({
  acp: z
    .strictObject({
      command: text.trim().min(1).describe("The program"),
      args: z.array(text).optional(),
      env: z
        .record(text, text)
        .optional()
        .describe(
          "Its environment variables; a value may refer to one of ours, as in the servers of cadre.yaml",
        ),
      mode: text.trim().min(1).optional().describe("Mode of the program; absent: its default mode"),
    })
    .describe("A program that speaks the Agent Client Protocol"),
});

const schemaOrFile = z.union([text.trim().min(1), loose]);

export const AGENT_KEYS = {
  name: z.union([text, z.number().transform(String)]).describe("Name of the agent; absent: the file's name"),
  title: text.describe("Display name"),
  description: text.describe("When other agents should call it"),
  kind: z
    .enum(["main", "subagent"])
    .describe("`main` takes tasks and may delegate; `subagent` is a leaf (main)"),
  model: z
    .union([z.null(), text, z.array(text).min(1)])
    .describe("`provider/model`, an alias, `inherit`, or a list that is tried in order"),
  temperature: z.number().min(0).describe("Passed to the model"),
  maxOutputTokens: Count.describe("The largest answer in tokens, including thoughts; passed to the model"),
  reasoning: Reasoning.describe(
    `How much the model reasons before it answers: ${REASONING_LEVELS.join(", ")}, or a number of tokens`,
  ),
  tools: z
    .union([z.null(), Names, ToolsMap])
    .describe("Tools that it may call: names, globs, `*`; absent: every tool; an empty list: none"),
  disallowedTools: Names.describe("What it never calls"),
  permissions: onlyKeys({ ask: Names.optional(), deny: Names.optional() }).describe(
    "Rules for this agent and every agent that it starts",
  ),
  policy: Policy.describe("What it may do: change files, answer, delegate"),
  delegate_targets: Names.describe("Only agents in both this list and `agents` are delegates"),
  agents: z
    .union([z.null(), Names])
    .describe("Agents that it may delegate to: names, or `*` for every agent of the project and of the user"),
  delegation: DelegationInput.describe("How it delegates"),
  delegable: z.boolean().describe("false: only people may start it, no model (true)"),
  startable: z
    .boolean()
    .describe("false: only other agents and people may start it, no MCP client (true; `subagent`: false)"),
  usage: text.describe("For the delegating agent: what a good task says"),
  instructions: InstructionNames.describe(
    "Files with instructions that it is told: `off`, or paths that are read instead of AGENTS.md and CLAUDE.md",
  ),
  context: ContextMode.describe("How much of its conversation its children see (none)"),
  ...inputSchemas,
  runner: RunnerInput.describe("An external program that does the work"),
  input: schemaOrFile.describe("JSON Schema of its input, or a file with it"),
  output: schemaOrFile.describe("JSON Schema of its answer, or a file with it"),
  limits: LimitsInput.describe("Limits of a run"),
  maxTurns: z.int().nonnegative().describe("The same as `limits.maxTurns`"),
  maxDuration: Duration.describe("The same as `limits.maxDuration`"),
  workspace: z
    .enum(["shared", "worktree"])
    .describe("Where it works: in its parent's folder, or in its own worktree"),
  schedule: AgentSchedule.describe(
    "When Cadre starts it by itself; only in a trusted folder, or in an agent of the user",
  ),
  pool: text.describe("Pool of workers that drives its runs"),
  mcpServers: z
    .union([z.array(z.unknown()), loose])
    .describe("MCP servers that it may use, by their names in cadre.yaml"),
  skills: Names.describe("Skills that it may load, by name; absent: every skill; an empty list: none"),
  extends: text.trim().min(1).describe("Another agent whose keys it inherits"),
  dialect: text.describe("The product whose format the file has, if the guess is wrong"),
  icon: z.unknown().describe("One emoji, shown beside its name"),
  color: z.unknown().describe("The colour of its icon"),
};

/** The checked values of an agent file. Each value is under Cadre's name for its key. */
export type AgentValues = KeyValues<typeof AGENT_KEYS>;

export const KEY_ALIASES: Readonly<Record<string, keyof typeof AGENT_KEYS>> = {
  subagents: "agents",
  spawnableAgents: "agents",
  allowedDelegations: "agents",
  delegates: "agents",
  ...TURNS_ALIASES,
  "policy.delegate_targets": "delegate_targets",
  disallowed_tools: "disallowedTools",
  allowedTools: "tools",
  "allowed-tools": "tools",
};

/** Returns the Cadre key for a key as the file spells it. An unknown key is returned unchanged. */
export const canonicalKey = (written: string): string =>
  Object.hasOwn(KEY_ALIASES, written) ? KEY_ALIASES[written]! : written;

/** The JSON Schema for editors. It accepts unknown keys, because they can belong to another product. Cadre itself warns about them. */
export function frontmatterSchema(): Record<string, unknown> {
  const { $schema, properties } = z.toJSONSchema(z.object(AGENT_KEYS).partial(), {
    io: "input",
    unrepresentable: "any",
  });
  const aliases = Object.entries(KEY_ALIASES).map(([alias, key]) => [
    alias,
    { ...(properties?.[key] as object), description: `Another name of \`${key}\``, deprecated: true },
  ]);
  return {
    $schema,
    title: "Front matter of a Cadre agent",
    type: "object",
    properties: { ...properties, ...Object.fromEntries(aliases) },
  };
}
