// Reads hooks from Claude Code's settings files.
// A project's hooks need a trusted folder, because they run commands. The user's own file and managed files are always trusted (HK1).

import type { ClaudeSettings } from "./claude-settings.ts";
import { type ConfiguredHook, DEFAULT_HOOK_SECONDS, HOOK_EVENTS, MAX_HOOK_SECONDS } from "./hooks.ts";
import type { Problem } from "./problem.ts";
import { type IgnoredSetting, ignoredSetting } from "./untrusted.ts";
import type { Data } from "./yaml.ts";

/** The hooks in Claude Code's settings files. A hook that Cadre cannot run is reported, because it may have been meant to block calls. */
export function hooksOfClaude(
  files: readonly ClaudeSettings[],
  isProjectTrusted: boolean,
): { hooks: ConfiguredHook[]; problems: Problem[]; ignored: IgnoredSetting[] } {
  const isUsed = ({ scope }: ClaudeSettings): boolean => scope !== "project" || isProjectTrusted;
  const off = files.filter((settings) => isUsed(settings) && settings.data["disableAllHooks"] === true);
  // Only a managed file can switch off managed hooks.
  const isOff = ({ scope }: ClaudeSettings): boolean =>
    off.some((by) => by.scope === "managed" || scope !== "managed");
  const given = files.filter((settings) => settings.data["hooks"] !== undefined && !isOff(settings));
  const found = given.filter(isUsed).flatMap(hooksOfFile);
  const unused = given.filter((settings) => !isUsed(settings));
  return {
    hooks: found.filter((each) => "command" in each),
    problems: found.filter((each) => "message" in each),
    ignored: unused.map(({ file, at }) =>
      ignoredSetting(["hooks"], "commands", { file, ...at(["hooks"], "key") }),
    ),
  };
}

type Found = ConfiguredHook | Problem;

function hooksOfFile(settings: ClaudeSettings): Found[] {
  const events = settings.data["hooks"]!;
  if (!isMapping(events)) return [problem(settings, ["hooks"], "it must be a mapping of events")];
  return Object.entries(events).flatMap(([name, groups]) => {
    const path = ["hooks", name];
    const event = HOOK_EVENTS.find((known) => known === name);
    if (event === undefined)
      return problem(settings, path, `hooks run here at these events: ${HOOK_EVENTS.join(", ")}`);
    if (!Array.isArray(groups)) return problem(settings, path, "it must be a list");
    return groups.flatMap((group) => hooksOfGroup(group, event, settings));
  });
}

function hooksOfGroup(group: Data, event: ConfiguredHook["event"], settings: ClaudeSettings): Found[] {
  const path = ["hooks", event];
  const { matcher, hooks } = isMapping(group) ? group : {};
  if (!Array.isArray(hooks)) return [problem(settings, path, "each entry must have a list `hooks`")];
  return hooks.map((hook) => {
    const { type, command, timeout } = isMapping(hook) ? hook : {};
    if (type !== "command" || typeof command !== "string" || command === "")
      return problem(settings, path, "one of its hooks is no command, and Cadre runs only commands");
    return {
      event,
      matcher: typeof matcher === "string" ? matcher : undefined,
      command,
      seconds: secondsOf(timeout),
      ...(settings.scope === "project" ? {} : { isOwn: true as const }),
      at: { file: settings.file, ...settings.at(path, "key") },
    };
  });
}

function problem({ file, at }: ClaudeSettings, path: string[], why: string): Problem {
  const message = `\`${path.join(".")}\` is not used as it is: ${why}`;
  return { file, ...at(path, "key"), code: "HOOK_IGNORED", severity: "warning", message };
}

const secondsOf = (timeout: Data | undefined): number =>
  typeof timeout === "number" && timeout > 0 ? Math.min(timeout, MAX_HOOK_SECONDS) : DEFAULT_HOOK_SECONDS;

const isMapping = (value: Data | undefined): value is Record<string, Data> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
