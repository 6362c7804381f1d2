// Codex: `.codex/agents/*.toml`. The prompt is the value of a key. The sandbox mode decides which tools the agent can use.

import { commonReaders, readersFor } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { readApprovalPolicy, readSandboxMode } from "./presets.ts";
import { metadataKey, promptKey, type Readers, translateWith, unsupportedKey } from "./read-keys.ts";

export const codexDialect: Dialect = {
  name: "codex",
  matchesPath: (path) => /(^|\/)\.codex\/agents\/.*\.toml$/i.test(path),
  matchesKeys: (keys) => Object.hasOwn(keys, "developer_instructions") || Object.hasOwn(keys, "sandbox_mode"),
  translate: (source) => [translateWith(source, READERS)],
};

const READERS: Readers = {
  ...commonReaders(),
  ...readersFor(
    "model_provider model_reasoning_summary model_verbosity sandbox_workspace_write",
    unsupportedKey,
  ),
  developer_instructions: promptKey,
  nickname_candidates: metadataKey,
  sandbox_mode: readSandboxMode,
  approval_policy: readApprovalPolicy,
};
