// Codex: `.codex/agents/*.toml`, where the prompt is a key and the sandbox's mode decides about tools.

import { commonReaders, each } from "./common-keys.ts";
import type { Dialect } from "./dialect.ts";
import { readApprovalPolicy, readSandboxMode } from "./presets.ts";
import { metadata, prompt, type Readers, translateWith, unsupported } from "./read-keys.ts";

export const codexDialect: Dialect = {
  name: "codex",
  lies: (path) => /(^|\/)\.codex\/agents\/.*\.toml$/i.test(path),
  speaks: (keys) => Object.hasOwn(keys, "developer_instructions") || Object.hasOwn(keys, "sandbox_mode"),
  translate: (source) => [translateWith(source, READERS)],
};

const READERS: Readers = {
  ...commonReaders(),
  ...each("model_provider model_reasoning_summary model_verbosity sandbox_workspace_write", unsupported),
  developer_instructions: prompt,
  nickname_candidates: metadata,
  sandbox_mode: readSandboxMode,
  approval_policy: readApprovalPolicy,
};
