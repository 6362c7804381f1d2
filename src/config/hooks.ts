// Hooks: commands that Cadre runs before and after tool calls, and at the start and end of a run.
// The format is that of Claude Code, so its hooks can be used unchanged. `claude-hooks.ts` reads Claude Code's own settings files.

import { z } from "zod";
import type { Problem } from "./problem.ts";

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
export const MAX_HOOK_SECONDS = 600;

const Command = z.strictObject({
  type: z.literal("command").optional(),
  command: z.string().min(1),
  timeout: z.number().positive().max(MAX_HOOK_SECONDS).optional().describe("Seconds (60)"),
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
  /** True if the hook comes from the user's own settings or from managed ones, not from the project. */
  isOwn?: true;
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
