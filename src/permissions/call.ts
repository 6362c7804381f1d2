// A call as rules see it: one unit for most tools, and for Bash one for each simple command, each file that a redirection
// opens, and one for whatever cannot be read off the text. Everything must be covered to be allowed; anything may be denied.

import { parseShell, type ShellCommand } from "./argv.ts";
import type { PermissionRequest } from "./permission.ts";
import { type Places, placesOf, type Workplace } from "./places.ts";
import { isProtected } from "./protected.ts";
import { isReadOnlyCommand } from "./shell.ts";

export type Unit = { protected?: string | undefined } & (
  | { kind: "plain"; strings: readonly string[] }
  | { kind: "path"; change: boolean; places: Places }
  | { kind: "command"; command: ShellCommand; exact: boolean; readOnly: boolean }
  /** Without places: which file it is, is known only when it runs. */
  | { kind: "redirect"; places: Places | undefined }
  | { kind: "unread"; broken: boolean; why: string }
);

export interface Call {
  tool: string;
  units: readonly Unit[];
}

const READS = new Set(["Read", "LS", "Glob", "Grep"]);
const CHANGES = new Set(["Write", "Edit"]);

export const isReadingTool = (tool: string): boolean => READS.has(tool);
export const isChangingTool = (tool: string): boolean => CHANGES.has(tool);

export function describeCall(request: Pick<PermissionRequest, "tool" | "input"> & Workplace): Call {
  const { tool } = request;
  const input = (request.input ?? {}) as Record<string, unknown>;
  if (tool === "Bash") return { tool, units: shellUnits(textOf(input["command"]), request) };
  if (READS.has(tool) || CHANGES.has(tool))
    return { tool, units: [pathUnit(tool, textOf(input["path"]) || ".", request)] };
  const strings = Object.values(input).filter((value) => typeof value === "string");
  return { tool, units: [{ kind: "plain", strings }] };
}

function pathUnit(tool: string, path: string, workplace: Workplace): Unit {
  const places = placesOf(path, workplace);
  const change = CHANGES.has(tool);
  return { kind: "path", change, places, protected: change ? protectedAmong(places) : undefined };
}

function shellUnits(command: string, workplace: Workplace): Unit[] {
  const parsed = parseShell(command);
  const exact = parsed.grade === "exact";
  const units: Unit[] = parsed.commands.map((one) => {
    const readOnly = exact && !one.assigns && isReadOnlyCommand(one.argv, workplace.workspace).readOnly;
    return {
      kind: "command",
      command: one,
      exact,
      readOnly,
      protected: readOnly ? undefined : protectedWord(one, workplace),
    };
  });
  for (const { target } of parsed.redirects) {
    const places = target === undefined ? undefined : placesOf(target, workplace);
    units.push({ kind: "redirect", places, protected: places && protectedAmong(places) });
  }
  if (!exact) units.push({ kind: "unread", broken: parsed.grade === "broken", why: parsed.why });
  return units;
}

function protectedWord(command: ShellCommand, workplace: Workplace): string | undefined {
  return command.argv.slice(1).find((word) => {
    if (word === undefined) return false;
    const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
    return protectedAmong(placesOf(value, workplace)) !== undefined;
  });
}

const protectedAmong = (places: Places): string | undefined =>
  places.find(({ path }) => isProtected(path))?.path;

/** Input that was never validated may hold anything. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
