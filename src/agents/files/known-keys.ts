// The keys of all products whose agent files Cadre reads.
// In invalid YAML, only this list distinguishes a key from prose: `model:` is a key, but `user:` in a description is prose.

import { ALL_PATTERNS } from "../../patterns/declarations/facts.ts";

const OTHER_KEYS =
  `name title description kind model temperature maxOutputTokens reasoning tools disallowedTools permissions policy
  delegate_targets policy.delegate_targets agents delegation context instructions runner input output limits
  maxTurns maxDuration workspace pool schedule mcpServers extends dialect icon color delegable startable usage
  subagents spawnableAgents allowedDelegations delegates maxIterations max_iters max_turns disallowed_tools
  allowedTools allowed-tools

  emoji vibe memory category skills version context_strategy permissionMode mode reasoningEffort effort orchestration
  hooks isolation background initialPrompt author priority tags type

  permission variant hidden top_p topP allowed_directories primary_objective anti_objectives intended_followups
  dependencies output_schema disable options

  user-invocable user-invokable disable-model-invocation argument-hint mcp-servers handoffs target infer metadata

  timeout_mins mcp_servers display_name

  models toolResponseMaxBytes maxToolCallsPerTurn cache routerDestinations llmTimeout toolTimeout maxRetries
  maxConcurrentTools reasoningTokens

  readonly is_background actions integrations globs alwaysApply

  thinking systemPromptMode inheritProjectContext inheritSkills defaultContext defaultReads defaultProgress aliases
  extensions extended_thinking interactive

  personality reasoning_effort prompt resources toolAliases toolsSettings includeMcpJson

  developer_instructions model_reasoning_effort model_provider sandbox_mode approval_policy nickname_candidates

  id displayName spawnerPrompt systemPrompt instructionsPrompt stepPrompt toolNames inputSchema outputMode outputSchema
  includeMessageHistory inheritParentSystemPrompt reasoningOptions

  slug roleDefinition groups customInstructions whenToUse source customModes iconName`
    .trim()
    .split(/\s+/);

export const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...ALL_PATTERNS.map(({ key }) => key),
  ...OTHER_KEYS,
]);

/** Keys whose value is prose. The prose ends only where the next known key starts. */
export const PROSE_KEYS: ReadonlySet<string> = new Set(
  `description usage whenToUse vibe personality prompt primary_objective argument-hint roleDefinition
  customInstructions spawnerPrompt systemPrompt instructionsPrompt stepPrompt developer_instructions`.split(
    /\s+/,
  ),
);

/** Keys that restrict an agent. They are never repaired by guessing, because a wrong guess could allow more than the author wrote. */
export const GATE_KEYS: ReadonlySet<string> = new Set(
  `tools disallowedTools disallowed_tools allowedTools allowed-tools toolNames permissions permission permissionMode
  policy delegate_targets groups sandbox_mode approval_policy readonly allowed_directories limits`.split(
    /\s+/,
  ),
);
