// Keys that mean the same in nearly every product that writes agents as Markdown.

import { readPermissionMode } from "./presets.ts";
import {
  hiddenIf,
  inert,
  limitOf,
  metadata,
  models,
  type Reader,
  type Readers,
  reasoning,
  same,
  schemaAs,
  unsupported,
} from "./read-keys.ts";
import { readAgents, readDenied, readPermissions, readTools } from "./read-tools.ts";
import type { Vocabulary } from "./tool-names.ts";
import { put } from "./wording.ts";

const METADATA =
  "emoji vibe category tags version author priority type argument-hint target dialect orchestration source license";

const UNSUPPORTED =
  "topP top_p topK top_k variant skills memory extensions background isolation context_strategy cache extended_thinking";

const INERT = "hooks mcp-servers mcp_servers";

export function commonReaders(vocabulary: Vocabulary = {}): Readers {
  return {
    ...each(METADATA, metadata),
    ...each(UNSUPPORTED, unsupported),
    ...each(INERT, inert),
    mcpServers: serverNames,
    ...each("model models", models),
    ...each("reasoning reasoningEffort reasoning_effort effort thinking model_reasoning_effort", reasoning),
    reasoningOptions: unsupported,
    ...each("maxTurns max_turns", limitOf("maxTurns")),
    timeout_mins: limitOf("maxDuration", 60_000),
    maxToolCallsPerTurn: limitOf("maxToolCallsPerTurn"),
    ...each("tools allowed-tools allowedTools toolNames", readTools(vocabulary)),
    ...each("disallowedTools disallowed_tools", readDenied(vocabulary)),
    ...each("agents subagents spawnableAgents allowedDelegations delegates", readAgents),
    permission: readPermissions,
    permissions: permissionsOrOurs,
    permissionMode: readPermissionMode,
    hidden: hiddenIf(true),
    "user-invocable": hiddenIf(false),
    "disable-model-invocation": notDelegable,
    inputSchema: schemaAs("input"),
    outputSchema: schemaAs("output"),
    output_schema: schemaAs("output"),
  };
}

export const each = (keys: string, reader: Reader): Readers =>
  Object.fromEntries(keys.split(" ").map((key) => [key, reader]));

/** Names mean servers that the person has declared; anything else would start something. */
const serverNames: Reader = (wording, value, key) => {
  const isNames = Array.isArray(value) && value.every((name) => typeof name === "string");
  (isNames ? same : inert)(wording, value, key);
};

const notDelegable: Reader = (wording, value, key) => {
  if (value === true) put(wording, "delegable", false, key);
};

/** Ours has lists; opencode's misspelt `permission` has actions. */
const permissionsOrOurs: Reader = (wording, value, key) => {
  const lists = typeof value === "object" && value !== null && Object.values(value).some(Array.isArray);
  (lists ? same : readPermissions)(wording, value, key);
};
