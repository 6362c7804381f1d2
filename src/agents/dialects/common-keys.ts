// Readers for keys that have the same meaning in nearly every product with Markdown agent files.

import { readPermissionMode } from "./presets.ts";
import {
  areTexts,
  hiddenFlag,
  inertKey,
  limitKey,
  metadataKey,
  modelKey,
  type Reader,
  type Readers,
  reasoningKey,
  sameKey,
  schemaAlias,
  unsupportedKey,
} from "./read-keys.ts";
import { AGENT_LISTS, readAgents, readDenied, readPermissions, readTools } from "./read-tools.ts";
import type { Vocabulary } from "./tool-names.ts";
import { setKey } from "./translation-builder.ts";

const METADATA =
  "emoji vibe category tags version author priority type argument-hint target dialect orchestration source license";

const UNSUPPORTED =
  "topP top_p topK top_k variant memory extensions background isolation context_strategy cache";

const INERT = "hooks mcp-servers mcp_servers";

export function commonReaders(vocabulary: Vocabulary = {}): Readers {
  return {
    ...readersFor(METADATA, metadataKey),
    ...readersFor(UNSUPPORTED, unsupportedKey),
    ...readersFor(INERT, inertKey),
    skills: sameKey,
    mcpServers: serverNames,
    ...readersFor("model models", modelKey),
    ...readersFor(
      "reasoning reasoningEffort reasoning_effort effort thinking model_reasoning_effort reasoningTokens reasoningOptions extended_thinking",
      reasoningKey,
    ),
    ...readersFor("maxTurns max_turns", limitKey("maxTurns")),
    timeout_mins: limitKey("maxDuration", 60_000),
    maxToolCallsPerTurn: limitKey("maxToolCallsPerTurn"),
    ...readersFor("tools allowed-tools allowedTools toolNames", readTools(vocabulary)),
    ...readersFor("disallowedTools disallowed_tools", readDenied(vocabulary)),
    ...readersFor(AGENT_LISTS.join(" "), readAgents),
    permission: readPermissions,
    permissions: permissionsOrOurs,
    permissionMode: readPermissionMode,
    hidden: hiddenFlag(true),
    "user-invocable": hiddenFlag(false),
    "disable-model-invocation": notDelegable,
    inputSchema: schemaAlias("input"),
    outputSchema: schemaAlias("output"),
    output_schema: schemaAlias("output"),
  };
}

export const readersFor = (keys: string, reader: Reader): Readers =>
  Object.fromEntries(keys.split(" ").map((key) => [key, reader]));

/** A list of names refers to servers in cadre.yaml. Any other value could start a program, so it has no effect. */
const serverNames: Reader = (builder, value, key) => {
  (areTexts(value) ? sameKey : inertKey)(builder, value, key);
};

const notDelegable: Reader = (builder, value, key) => {
  if (value === true) setKey(builder, "delegable", false, key);
};

/** In Cadre, `permissions` contains lists of rules. If it contains a map of actions, the author meant opencode's `permission`. */
const permissionsOrOurs: Reader = (builder, value, key) => {
  const lists = typeof value === "object" && value !== null && Object.values(value).some(Array.isArray);
  (lists ? sameKey : readPermissions)(builder, value, key);
};
