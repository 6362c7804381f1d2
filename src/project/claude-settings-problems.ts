// Lists the settings of Claude Code that Cadre does not use, so that nothing is lost silently.
// `cadre agents validate` prints the list.

import { translateRule } from "../agents/dialects/claude-rules.ts";
import type { ClaudeSettings } from "../config/claude-settings.ts";
import type { Problem } from "../config/problem.ts";
import type { Data, Path } from "../config/yaml.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { ruleProblems } from "../permissions/rule-problems.ts";
import { type RuleContext, writtenRules } from "./claude-permissions.ts";

export interface SettingsContext extends Pick<RuleContext, "home"> {
  /** Names and aliases of all tools. */
  toolNames: readonly string[];
}

export function claudeSettingsProblems(settings: ClaudeSettings, context: SettingsContext): Problem[] {
  const { file, data, at } = settings;
  const ignore = (path: Path, message: string, suggestion?: string): Problem => ({
    file,
    ...at(path, path.length > 2 ? "value" : "key"),
    code: "SETTING_IGNORED",
    severity: "warning",
    message,
    ...omitUndefined({ suggestion }),
  });
  const keys = Object.keys(data).filter((key) => !TAKEN_OVER.has(key));
  return [
    ...permissionsProblems(settings, context, ignore),
    ...keys.map((key) => ignore([key], `\`${key}\` is not taken over`, describeKey(key))),
  ];
}

/** Keys that need no message: Cadre uses them, or they have no effect of their own. */
const TAKEN_OVER = new Set(["$schema", "permissions", "hooks", "disabledMcpjsonServers", "disableAllHooks"]);

const SCREEN = "it belongs to Claude Code's own screen";
const KEYS = "Cadre reads keys from the environment; see `cadre doctor`";
const TRUST =
  "in a trusted folder Cadre starts every server of .mcp.json that `disabledMcpjsonServers` does not name";

/** Advice about a key. Undefined if there is nothing to do. */
const ADVICE: Readonly<Record<string, string>> = {
  env: "set these variables in the shell that starts Cadre, or in `env` of a server",
  model: "set `model` in cadre.yaml",
  sandbox: "set `sandbox` in cadre.yaml",
  enabledMcpjsonServers: TRUST,
  enableAllProjectMcpServers: TRUST,
  enabledPlugins: "copy the plugin's agents, skills and commands into .claude/",
  extraKnownMarketplaces: "Cadre installs no plugins",
  ...Object.fromEntries(
    "statusLine outputStyle theme spinnerTipsEnabled spinnerVerbs spinnerTipsOverride terminalProgressBarEnabled prefersReducedMotion language viewMode"
      .split(" ")
      .map((key) => [key, SCREEN]),
  ),
  ...Object.fromEntries(
    "apiKeyHelper awsAuthRefresh awsCredentialExport gcpAuthRefresh otelHeadersHelper forceLoginMethod"
      .split(" ")
      .map((key) => [key, KEYS]),
  ),
};

const describeKey = (key: string): string | undefined =>
  Object.hasOwn(ADVICE, key) ? ADVICE[key] : undefined;

type Ignore = (path: Path, message: string, suggestion?: string) => Problem;

function permissionsProblems(settings: ClaudeSettings, context: SettingsContext, ignore: Ignore): Problem[] {
  const permissions = settings.data["permissions"] ?? null;
  if (permissions === null || typeof permissions !== "object" || Array.isArray(permissions)) return [];
  const others = Object.keys(permissions).filter((key) => !KNOWN_PERMISSIONS.has(key));
  return [
    ...(["allow", "ask", "deny"] as const).flatMap((effect) => rulesProblems(settings, effect, context)),
    ...modeProblems(settings, permissions["defaultMode"] ?? "default", ignore),
    ...others.map((key) =>
      ignore(["permissions", key], `\`permissions.${key}\` is not taken over`, PERMISSION_ADVICE[key]),
    ),
  ];
}

/** `disableBypassPermissionsMode` needs no message, because no setting can bypass approvals in Cadre. */
const KNOWN_PERMISSIONS = new Set(["allow", "ask", "deny", "defaultMode", "disableBypassPermissionsMode"]);

const PERMISSION_ADVICE: Readonly<Record<string, string>> = {
  additionalDirectories:
    "an agent works in one folder; list folders that commands may write to in `sandbox.write` of cadre.yaml",
};

/** In a folder that is not trusted, `acceptEdits` is reported with the other settings that need trust. */
function modeProblems({ scope }: ClaudeSettings, mode: Data, ignore: Ignore): Problem[] {
  if (mode === "default" || (scope === "project" && (mode === "plan" || mode === "acceptEdits"))) return [];
  const message = `\`permissions.defaultMode: ${typeof mode === "string" ? mode : JSON.stringify(mode)}\` is not taken over`;
  return [
    ignore(
      ["permissions", "defaultMode"],
      message,
      "choose a preset with `permissions.preset` in cadre.yaml, or `cadre run --permissions`",
    ),
  ];
}

/** Problems of single rules, for example a deny rule for a tool that does not exist. */
function rulesProblems(
  settings: ClaudeSettings,
  effect: "allow" | "ask" | "deny",
  { toolNames, home }: SettingsContext,
): Problem[] {
  return writtenRules(settings, effect).flatMap((written, index) => {
    const [found] = ruleProblems(translateRule(written, effect, home), toolNames, effect);
    if (!found) return [];
    const { code, message, suggestion } = found;
    const place = { file: settings.file, ...settings.at(["permissions", effect, index]) };
    return [{ ...place, code, severity: "warning" as const, message, ...omitUndefined({ suggestion }) }];
  });
}
