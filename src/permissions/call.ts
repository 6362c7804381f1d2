// A call as rules see it: one unit for most tools, and for Bash one for each simple command, each file that a redirection
// opens, and one for whatever cannot be read off the text. Everything must be covered to be allowed; anything may be denied.

import { relative, resolve, sep } from "node:path";
import { parseShell, type ShellCommand } from "./argv.ts";
import type { PermissionRequest } from "./permission.ts";
import { isProtected } from "./protected.ts";
import { isReadOnlyCommand } from "./shell.ts";

export type Unit = { protected?: string | undefined } & (
  | { kind: "plain"; strings: readonly string[] }
  | { kind: "path"; change: boolean; path: string; absolute: string }
  | { kind: "command"; command: ShellCommand; exact: boolean; readOnly: boolean }
  | { kind: "redirect"; path: string | undefined; absolute: string | undefined }
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

export function describeCall(request: Pick<PermissionRequest, "tool" | "input" | "workspace">): Call {
  const { tool, workspace } = request;
  const input = (request.input ?? {}) as Record<string, unknown>;
  if (tool === "Bash") return { tool, units: shellUnits(textOf(input["command"]), workspace) };
  if (READS.has(tool) || CHANGES.has(tool))
    return { tool, units: [pathUnit(tool, textOf(input["path"]) || ".", workspace)] };
  const strings = Object.values(input).filter((value) => typeof value === "string");
  return { tool, units: [{ kind: "plain", strings }] };
}

function pathUnit(tool: string, path: string, workspace: string): Unit {
  const place = placeOf(path, workspace);
  const change = CHANGES.has(tool);
  return {
    kind: "path",
    change,
    ...place,
    protected: change && isProtected(place.path) ? place.path : undefined,
  };
}

function shellUnits(command: string, workspace: string): Unit[] {
  const parsed = parseShell(command);
  const exact = parsed.grade === "exact";
  const units: Unit[] = parsed.commands.map((one) => {
    const readOnly = exact && !one.assigns && isReadOnlyCommand(one.argv, workspace).readOnly;
    return {
      kind: "command",
      command: one,
      exact,
      readOnly,
      protected: readOnly ? undefined : protectedWord(one, workspace),
    };
  });
  for (const { target } of parsed.redirects) {
    const place =
      target === undefined ? { path: undefined, absolute: undefined } : placeOf(target, workspace);
    units.push({
      kind: "redirect",
      ...place,
      protected: place.path !== undefined && isProtected(place.path) ? place.path : undefined,
    });
  }
  if (!exact) units.push({ kind: "unread", broken: parsed.grade === "broken", why: parsed.why });
  return units;
}

function protectedWord(command: ShellCommand, workspace: string): string | undefined {
  return command.argv.slice(1).find((word) => {
    if (word === undefined) return false;
    const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
    return isProtected(placeOf(value, workspace).path);
  });
}

/** Looks at names only; the tool itself refuses a path whose links lead elsewhere, so the name is the place. */
function placeOf(path: string, workspace: string): { path: string; absolute: string } {
  const absolute = resolve(workspace, path);
  const inside = relative(workspace, absolute);
  return { path: sep === "/" ? inside : inside.replaceAll(sep, "/"), absolute };
}

/** Input that was never validated may hold anything. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
