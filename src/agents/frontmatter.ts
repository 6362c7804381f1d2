// The keys of our agent files: one schema each with what it means, the other names that people use for them, and the
// list of those that this version reads but does not act on yet. The JSON Schema for editors is made from the same.

import { z } from "zod";
import { Duration } from "../config/duration.ts";
import { LimitsInput, TURNS_ALIASES } from "../config/limits.ts";
import { type KeyValues, onlyKeys } from "../config/read-keys.ts";
import { ContextMode } from "../journal/definition.ts";

/** Each name may be compared with all that are known. */
const MAX_NAMES = 500;

/** `Read, Bash(git log, git diff)` or a list; commas inside parentheses belong to the pattern. */
export const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (typeof value === "string" ? splitNames(value) : value)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  )
  .refine((names) => names.length <= MAX_NAMES, { error: `names more than ${MAX_NAMES}` });

function splitNames(text: string): string[] {
  const names = [""];
  let depth = 0;
  for (const piece of text.split(/([(),])/)) {
    if (piece === "(") depth++;
    if (piece === ")") depth = Math.max(0, depth - 1);
    if (piece === "," && depth === 0) names.push("");
    else names[names.length - 1] += piece;
  }
  return names;
}

const text = z.string();
const count = z.int().positive();
const loose = z.looseObject({});
const agentName = z.string().trim().min(1);
const someNames = Names.refine((names) => names.length > 0, { error: "must name at least one agent" });

const ToolsMap = onlyKeys({
  allow: Names.optional().describe("All that it may call; absent: every tool"),
  ask: Names.optional().describe("What a person is asked about first"),
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
    .describe("One child at a time, or several (sequential)"),
  maxParallel: count.optional().describe("Children at the same time (3)"),
  tool: z
    .enum(["generic", "per-agent", "delegate_to_agent", "mcp__agent__spawn"])
    .optional()
    .describe("One tool for all delegates, or one for each (generic)"),
  onFailure: z.enum(["return", "fail", "retry"]).optional().describe("What a failed child means (return)"),
  atEnd: z
    .enum(["wait", "cancel"])
    .optional()
    .describe("What becomes of children that nobody waited for (wait)"),
});

const HandoffInput = z.strictObject({
  agent: agentName,
  onFailure: z
    .enum(["fail", "return", "retry"])
    .optional()
    .describe("What a failed stage means: the whole fails, this agent's answer stands, once more (fail)"),
});

const RouterInput = z.union([
  z.literal(true).describe("The destinations are those of `agents`"),
  z.strictObject({
    destinations: someNames,
    fallback: agentName.optional().describe("Who gets what the router could not place"),
    allowAnswer: z.boolean().optional().describe("Lets it answer a trivial request itself (false)"),
  }),
]);

const AdvisorsInput = z.union([
  someNames,
  z.strictObject({
    agents: someNames,
    require: z
      .union([z.enum(["any", "all"]), z.int().nonnegative()])
      .optional()
      .describe("How many must have answered (any)"),
    timeout: Duration.optional().describe("How long an advisor may take"),
  }),
]);

const TerminationMode = z.enum(["consensus", "maxRounds", "coordinatorDecides"]);

const TeamInput = z.strictObject({
  members: someNames,
  terminationMode: z
    .union([TerminationMode, z.array(TerminationMode).min(1)])
    .optional()
    .describe("When the team is done, or several of which one is enough (consensus)"),
  maxRounds: count.optional().describe("At most so many rounds (10)"),
  memberMaxTurns: count.optional().describe("Turns of a member in a round (5)"),
  memberTimeout: Duration.optional().describe("How long a member may take for a round"),
  quorum: count.optional().describe("Below so many members the coordinator concludes"),
});

const BestOfInput = z.union([
  count,
  z.strictObject({
    n: count.describe("How many drafts"),
    judge: agentName.optional().describe("Who picks; absent: the agent itself"),
    strategies: z.array(text).optional().describe("One hint for each draft"),
  }),
]);

const RunnerInput = z.strictObject({
  acp: z
    .strictObject({
      command: text.trim().min(1).describe("The program"),
      args: z.array(text).optional(),
      env: z
        .record(text, text)
        .optional()
        .describe("Its variables; a value may name one of ours, as in the servers of cadre.yaml"),
      mode: text
        .trim()
        .min(1)
        .optional()
        .describe("Which of its own modes it works in; absent: the one that it begins in"),
    })
    .describe("A program that speaks the Agent Client Protocol"),
});

const schemaOrFile = z.union([text.trim().min(1), loose]);

export const AGENT_KEYS = {
  name: z.union([text, z.number().transform(String)]).describe("What it is called; absent: the file's name"),
  title: text.describe("How people see it"),
  description: text.describe("When others should call it"),
  kind: z
    .enum(["main", "subagent"])
    .describe("`main` takes tasks and may delegate; `subagent` is a leaf (main)"),
  model: z
    .union([z.null(), text, z.array(text).min(1)])
    .describe("`provider/model`, an alias, `inherit`, or a list that is tried in order"),
  temperature: z.number().min(0).describe("Passed to the model"),
  maxOutputTokens: count.describe("Passed to the model"),
  reasoning: z
    .union([text, z.number().transform(String), z.boolean().transform((on) => (on ? "medium" : "none"))])
    .describe("How much the model thinks first"),
  tools: z
    .union([z.null(), Names, ToolsMap])
    .describe("What it may call: names, globs, `*`; absent: every tool; an empty list: none"),
  disallowedTools: Names.describe("What it never calls"),
  permissions: onlyKeys({ ask: Names.optional(), deny: Names.optional() }).describe(
    "Rules that bind this agent and everybody that it starts",
  ),
  policy: Policy.describe("What it may do: change files, answer, delegate"),
  delegate_targets: Names.describe("Only those of `agents` that are named here too"),
  agents: z.union([z.null(), Names]).describe("Whom it may delegate to"),
  delegation: DelegationInput.describe("How it delegates"),
  delegable: z.boolean().describe("false: only people start it, no model (true)"),
  usage: text.describe("For whoever delegates to it: what a good task says"),
  context: ContextMode.describe("What its children see of its conversation (none)"),
  handoff: z.union([agentName, HandoffInput]).describe("Who gets its answer and owns the final one"),
  router: RouterInput.describe("It only decides who does the work"),
  advisors: AdvisorsInput.describe("Who is asked before it begins"),
  team: TeamInput.describe("Who works on it together, in rounds"),
  bestOf: BestOfInput.describe("So many drafts, of which the best is picked"),
  steps: text.trim().min(1).describe("A module beside the file that controls the agent"),
  runner: RunnerInput.describe("Another program does the work"),
  input: schemaOrFile.describe("JSON Schema of its input, or a file with it"),
  output: schemaOrFile.describe("JSON Schema of its answer, or a file with it"),
  limits: LimitsInput.describe("What bounds a run"),
  maxTurns: z.int().nonnegative().describe("The same as `limits.maxTurns`"),
  maxDuration: Duration.describe("The same as `limits.maxDuration`"),
  workspace: z
    .enum(["shared", "worktree"])
    .describe("Where it works: with its parent, or in a worktree of its own"),
  pool: text.describe("The pool of workers that drives its runs: which machines have the files"),
  mcpServers: z
    .union([z.array(z.unknown()), loose])
    .describe("The MCP servers that it may use, by their names in cadre.yaml"),
  extends: text.trim().min(1).describe("Another agent, whose keys it inherits"),
  dialect: text.describe("The product that the file was written for, where that is guessed wrongly"),
  icon: z.unknown().describe("One emoji, shown beside its name"),
  color: z.unknown().describe("The colour of its icon"),
};

/** What a file says, as far as it fits; by our keys. */
export type AgentValues = KeyValues<typeof AGENT_KEYS>;

export const KEY_ALIASES: Readonly<Record<string, keyof typeof AGENT_KEYS>> = {
  subagents: "agents",
  spawnableAgents: "agents",
  allowedDelegations: "agents",
  delegates: "agents",
  ...TURNS_ALIASES,
  disallowed_tools: "disallowedTools",
  allowedTools: "tools",
  "allowed-tools": "tools",
};

/** Our key for a key as it is written; a stranger's stays as it is. */
export const canonicalKey = (written: string): string =>
  Object.hasOwn(KEY_ALIASES, written) ? KEY_ALIASES[written]! : written;

/** For editors. Open: a key that nobody knows is a warning of ours, and may be another product's. */
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
