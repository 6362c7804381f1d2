// A tool gate says which tools a file lets its agent call. In other products, several keys decide about this.
// Each key can only narrow the gate: if one key removes a tool, no other key can add it again.

import type { Data } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { FILE_CHANGING_TOOLS, TOOLS, targetOf } from "./tool-names.ts";
import { matches } from "./wildcards.ts";

export interface ToolGate {
  /** The allowed tools. Undefined if no key lists them; then all tools are allowed. */
  allow: readonly string[] | undefined;
  ask: readonly string[];
  deny: readonly string[];
}

export const OPEN_GATE: ToolGate = { allow: undefined, ask: [], deny: [] };

/** Combines two gates. A call is allowed only if both gates allow it. The ask and deny rules of both gates apply. */
export function intersectGates(a: ToolGate, b: ToolGate): ToolGate {
  return { allow: bothAllow(a.allow, b.allow), ask: union(a.ask, b.ask), deny: union(a.deny, b.deny) };
}

/** Converts the gate to a value for Cadre's key `tools`. Undefined if the gate restricts nothing. */
export function gateAsTools({ allow, ask, deny }: ToolGate): Data | undefined {
  if (ask.length === 0 && deny.length === 0) return allow === undefined ? undefined : [...allow];
  const list = (rules: readonly string[]) => (rules.length === 0 ? undefined : [...rules]);
  return omitUndefined({ allow: allow && [...allow], ask: list(ask), deny: list(deny) });
}

/** Lists all tools by name, so that single tools can be removed or restricted. */
const EVERY_TOOL: readonly string[] = [...TOOLS, "mcp__*__*"];

/** Tools that can change something. Other products have no names for NotebookEdit and restart_service. */
export const CHANGING_TOOLS: readonly string[] = [...FILE_CHANGING_TOOLS, "NotebookEdit", "restart_service"];

export const READ_ONLY: ToolGate = { ...OPEN_GATE, deny: CHANGING_TOOLS };

/** Restricts the file tools to these folders. Commands cannot be restricted to a folder, so Bash is removed. */
export function confineToFolders(folders: readonly string[], allow: readonly string[] | undefined): ToolGate {
  const clean = folders.map((folder) => folder.replace(/^\.\//, "").replace(/[/*]*$/, ""));
  const named = allow === undefined || allow.includes("*") ? EVERY_TOOL : allow;
  const scoped = named.flatMap((rule) => {
    const tool = rule.split("(", 1)[0]!;
    if (targetOf(tool) === "command") return [];
    if (targetOf(tool) !== "path") return [rule];
    // If a rule already has a pattern, its intersection with a folder cannot be written as one pattern.
    return rule === tool ? clean.map((folder) => `${tool}(${folder === "" ? "**" : `${folder}/**`})`) : [];
  });
  return { ...OPEN_GATE, allow: scoped };
}

function bothAllow(a: ToolGate["allow"], b: ToolGate["allow"]): ToolGate["allow"] {
  if (a === undefined || b === undefined) return a ?? b;
  return union(
    a.filter((rule) => b.some((other) => covers(other, rule))),
    b.filter((rule) => a.some((other) => covers(other, rule))),
  );
}

/** Whether `wide` allows every call that `narrow` allows. False if we cannot tell. */
function covers(wide: string, narrow: string): boolean {
  const [wideName, widePattern] = parts(wide);
  const [name, pattern] = parts(narrow);
  if (widePattern !== undefined && widePattern !== pattern) return false;
  return !wideName.includes("?") && matches(wideName, name);
}

function parts(rule: string): [string, string | undefined] {
  const at = rule.indexOf("(");
  return at < 0 ? [rule, undefined] : [rule.slice(0, at), rule.slice(at)];
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];
