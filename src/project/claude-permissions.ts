// Translates the permission rules of Claude Code's settings to Cadre's rules.
//  - Deny and ask rules apply in every folder. Allow rules apply only in a trusted folder.
//  - As in Claude Code, an ask rule wins over every allow rule.

import { translateRule } from "../agents/dialects/claude-rules.ts";
import type { ClaudeSettings } from "../config/claude-settings.ts";
import { type Problem, problemText } from "../config/problem.ts";
import type { Data } from "../config/yaml.ts";
import { CadreError } from "../errors.ts";
import type { Preset } from "../journal/definition.ts";
import type { SourcedRules } from "../permissions/permission.ts";
import type { RuleEffect } from "../permissions/rule-problems.ts";

export interface RuleContext {
  /** Whether the project's folder is trusted. */
  trusted: boolean;
  /** The user's home folder. In rules, `~` stands for this folder. */
  home: string;
}

/** The rules of one settings file. Throws CONFIG_INVALID if its deny or ask rules cannot be read. */
export function claudePermissions(settings: ClaudeSettings, { trusted, home }: RuleContext): SourcedRules {
  const rules = (effect: RuleEffect): string[] =>
    writtenRules(settings, effect).flatMap((text) => translateRule(text, effect, home));
  const preset = presetOf(settings, trusted);
  return {
    source: settings.file,
    asksFirst: true,
    rules: {
      ...(preset ? { preset } : {}),
      allow: trusted ? unique(rules("allow")) : [],
      ask: unique(rules("ask")),
      deny: unique(rules("deny")),
    },
  };
}

const unique = (rules: readonly string[]): string[] => [...new Set(rules)];

/** The rules as the file spells them. */
export function writtenRules(settings: ClaudeSettings, effect: RuleEffect): string[] {
  const permissions = settings.data["permissions"] ?? null;
  if (permissions === null) return [];
  if (typeof permissions !== "object" || Array.isArray(permissions))
    throw unreadable(settings, ["permissions"], "must be an object");
  const list = permissions[effect] ?? null;
  if (list === null) return [];
  const path = ["permissions", effect];
  if (!Array.isArray(list)) throw unreadable(settings, path, "must be a list of rules");
  return list.map((rule: Data, index) => {
    if (typeof rule === "string" && rule.trim() !== "") return rule.trim();
    throw unreadable(settings, [...path, index], "must be a rule, such as Read(.env)");
  });
}

function unreadable(
  { file, at }: ClaudeSettings,
  path: readonly (string | number)[],
  must: string,
): CadreError {
  const message = `\`${path.filter((step) => typeof step === "string").join(".")}\` ${must}`;
  const problem: Problem = { file, ...at(path), code: "BAD_CLAUDE_SETTINGS", severity: "error", message };
  return new CadreError(
    "CONFIG_INVALID",
    `${problemText(problem)}. Rules would be lost, so nothing was started: fix the file.`,
    { problems: [problem] },
  );
}

/** `plan` forbids changes in every folder. `acceptEdits` allows them, so it needs trust. Modes in the user's own file are ignored. */
function presetOf({ data, scope }: ClaudeSettings, trusted: boolean): Preset | undefined {
  const mode = (data["permissions"] as Record<string, Data> | null | undefined)?.["defaultMode"];
  if (scope !== "project") return undefined;
  if (mode === "plan") return "read-only";
  return mode === "acceptEdits" && trusted ? "edits" : undefined;
}
