// Modes that decide about all tools at once. A mode that forbids tools becomes a gate. A mode that skips approvals has no
// effect and gives a warning: an agent file cannot grant that.

import type { Reader } from "./read-keys.ts";
import { READ_ONLY } from "./tool-gate.ts";
import { narrowTools, refuse, type TranslationBuilder, warn } from "./translation-builder.ts";

/** Claude's `permissionMode`. `ask` is not one of Claude's values, but people write it. */
export const readPermissionMode: Reader = (wording, value, key) => {
  if (value === null || value === "default" || value === "ask") return;
  if (value === "plan") return narrowTools(wording, READ_ONLY, [key]);
  if (value === "acceptEdits" || value === "auto" || value === "dontAsk")
    return warnGrantIgnored(wording, key, `\`${key}: ${value}\``);
  if (value === "bypassPermissions") {
    const message = `\`${key}: bypassPermissions\` is refused: no file can switch approvals off`;
    const suggestion = "`cadre run --yes` is the person's own flag for it";
    return warn(wording, [key], { code: "BYPASS_REFUSED", message, suggestion });
  }
  notUnderstood(wording, key);
};

/** Cursor's `readonly`. */
export const readReadonly: Reader = (wording, value, key) => {
  if (value === null || value === false) return;
  if (value === true) return narrowTools(wording, READ_ONLY, [key]);
  notUnderstood(wording, key);
};

/** Codex's. */
export const readSandboxMode: Reader = (wording, value, key) => {
  if (value === null || value === "workspace-write") return;
  if (value === "read-only") return narrowTools(wording, READ_ONLY, [key]);
  if (value === "danger-full-access") return warnGrantIgnored(wording, key, `\`${key}: ${value}\``);
  notUnderstood(wording, key);
};

/** Codex's. */
export const readApprovalPolicy: Reader = (wording, value, key) => {
  if (value === null || value === "on-request" || value === "on-failure") return;
  if (value === "untrusted") return narrowTools(wording, { ask: ["Bash", "Write", "Edit"] }, [key]);
  if (value === "never") return warnGrantIgnored(wording, key, `\`${key}: never\``);
  notUnderstood(wording, key);
};

export function warnGrantIgnored(wording: TranslationBuilder, key: string, what: string): void {
  const message = `${what} would spare a person's approval, which an agent file cannot: it has no effect`;
  const suggestion = "put the rule into cadre.yaml's `permissions.allow`";
  warn(wording, [key], { code: "GRANT_IGNORED", message, suggestion });
}

function notUnderstood(wording: TranslationBuilder, key: string): void {
  const message = `\`${key}\` has a value that is not understood, and it decides what the agent may do`;
  refuse(wording, [key], { code: "BAD_PERMISSION", message });
}
