// Hooks: commands that Cadre runs before and after tool calls, and at the start and end of a run.
// The form is Claude Code's, so that its settings can be used as they are. Its own settings files are read too.
// A project's hooks need a trusted folder, because they run commands. The user's own file is always trusted.

import { z } from "zod";
import type { ClaudeSettings } from "./claude-settings.ts";
import type { Problem } from "./problem.ts";
import type { Data } from "./yaml.ts";

export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "SubagentStart",
  "Stop",
  "SubagentStop",
] as const;

export const DEFAULT_HOOK_SECONDS = 60;
const MAX_SECONDS = 600;

const Command = z.strictObject({
  type: z.literal("command").optional(),
  command: z.string().min(1),
  timeout: z.number().positive().max(MAX_SECONDS).optional().describe("Seconds (60)"),
});

const Group = z.strictObject({
  matcher: z
    .string()
    .optional()
    .describe("Names of tools: `Bash`, `Edit|Write`, `mcp__.*`. Absent: every tool"),
  hooks: z.array(Command).min(1),
});

const Groups = z.array(Group).optional();

export const Hooks = z.strictObject({
  SessionStart: Groups,
  UserPromptSubmit: Groups,
  PreToolUse: Groups,
  PostToolUse: Groups,
  SubagentStart: Groups,
  Stop: Groups,
  SubagentStop: Groups,
});

export interface ConfiguredHook {
  event: (typeof HOOK_EVENTS)[number];
  matcher: string | undefined;
  command: string;
  seconds: number;
  /** The file that contains the hook, and the hook's position in that file. */
  at: Pick<Problem, "file" | "line" | "column">;
}

type Position = Pick<Problem, "line" | "column">;

export function hooksOfConfig(
  hooks: z.output<typeof Hooks> = {},
  at: (path: (string | number)[]) => Position,
): ConfiguredHook[] {
  return HOOK_EVENTS.flatMap((event) =>
    (hooks[event] ?? []).flatMap(({ matcher, hooks: commands }, index) =>
      commands.map(({ command, timeout: seconds = DEFAULT_HOOK_SECONDS }) => ({
        event,
        matcher,
        command,
        seconds,
        at: { file: "cadre.yaml", ...at(["hooks", event, index]) },
      })),
    ),
  );
}

/** The hooks in Claude Code's settings files. A hook that Cadre cannot run is reported, because it may have been a guard. */
export function hooksOfClaude(
  files: readonly ClaudeSettings[],
  isProjectTrusted: boolean,
): { hooks: ConfiguredHook[]; problems: Problem[] } {
  if (files.some(({ data }) => data["disableAllHooks"] === true)) return { hooks: [], problems: [] };
  const found = files
    .filter(({ data }) => data["hooks"] !== undefined)
    .flatMap((settings) =>
      settings.scope === "project" && !isProjectTrusted
        ? problem(settings, ["hooks"], "hooks of a project need a trusted folder: run `cadre trust`")
        : hooksOfFile(settings),
    );
  return {
    hooks: found.filter((each) => "command" in each),
    problems: found.filter((each) => "message" in each),
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
      at: { file: settings.file, ...settings.at(path, "key") },
    };
  });
}

function problem({ file, at }: ClaudeSettings, path: string[], why: string): Problem {
  const message = `\`${path.join(".")}\` is not used as it is: ${why}`;
  return { file, ...at(path, "key"), code: "HOOK_IGNORED", severity: "warning", message };
}

const secondsOf = (timeout: Data | undefined): number =>
  typeof timeout === "number" && timeout > 0 ? Math.min(timeout, MAX_SECONDS) : DEFAULT_HOOK_SECONDS;

const isMapping = (value: Data | undefined): value is Record<string, Data> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
