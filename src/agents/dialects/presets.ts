// Reads keys that set a mode for all tools. A mode that forbids tools is translated to a tool gate.
// A mode that skips approvals has no effect and gives a warning, because an agent file cannot skip approvals.

import type { Reader } from "./read-keys.ts";
import { READ_ONLY } from "./tool-gate.ts";
import { narrowTools, refuse, type TranslationBuilder, warn } from "./translation-builder.ts";

/** Reads Claude's `permissionMode`. `ask` is not one of Claude's values, but people write it. */
export const readPermissionMode: Reader = (builder, value, key) => {
  if (value === null || value === "default" || value === "ask") return;
  if (value === "plan") return narrowTools(builder, READ_ONLY, [key]);
  if (value === "acceptEdits" || value === "auto" || value === "dontAsk")
    return warnGrantIgnored(builder, key, `\`${key}: ${value}\``);
  if (value === "bypassPermissions") {
    const message = `\`${key}: bypassPermissions\` is refused: no file can switch approvals off`;
    const suggestion = "`cadre run --yes` is the person's own flag for it";
    return warn(builder, [key], { code: "BYPASS_REFUSED", message, suggestion });
  }
  refuseValue(builder, key);
};

/** Reads Cursor's `readonly`. */
export const readReadonly: Reader = (builder, value, key) => {
  if (value === null || value === false) return;
  if (value === true) return narrowTools(builder, READ_ONLY, [key]);
  refuseValue(builder, key);
};

/** Reads Codex's `sandbox_mode`. */
export const readSandboxMode: Reader = (builder, value, key) => {
  if (value === null || value === "workspace-write") return;
  if (value === "read-only") return narrowTools(builder, READ_ONLY, [key]);
  if (value === "danger-full-access") return warnGrantIgnored(builder, key, `\`${key}: ${value}\``);
  refuseValue(builder, key);
};

/** Reads Codex's `approval_policy`. */
export const readApprovalPolicy: Reader = (builder, value, key) => {
  if (value === null || value === "on-request" || value === "on-failure") return;
  if (value === "untrusted") return narrowTools(builder, { ask: ["Bash", "Write", "Edit"] }, [key]);
  if (value === "never") return warnGrantIgnored(builder, key, `\`${key}: never\``);
  refuseValue(builder, key);
};

export function warnGrantIgnored(builder: TranslationBuilder, key: string, what: string): void {
  const message = `${what} would skip a person's approval, which an agent file cannot do: it has no effect`;
  const suggestion = "put the rule into cadre.yaml's `permissions.allow`";
  warn(builder, [key], { code: "GRANT_IGNORED", message, suggestion });
}

function refuseValue(builder: TranslationBuilder, key: string): void {
  const message = `\`${key}\` has an unknown value, and it decides what the agent may do`;
  refuse(builder, [key], { code: "BAD_PERMISSION", message });
}
