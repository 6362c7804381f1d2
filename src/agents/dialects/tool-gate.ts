// What a file lets its agent call, put together from the several keys in which other products say it. Every step
// narrows: nothing that one key takes away comes back by another.

import type { Data } from "../../config/yaml.ts";
import { TOOLS } from "./tool-names.ts";
import { matches } from "./wildcards.ts";

export interface ToolGate {
  /** Undefined: nothing was said, so every tool. */
  allow: readonly string[] | undefined;
  ask: readonly string[];
  deny: readonly string[];
}

export const OPEN_GATE: ToolGate = { allow: undefined, ask: [], deny: [] };

/** Both must let a call pass; either may ask or deny. */
export function intersectGates(a: ToolGate, b: ToolGate): ToolGate {
  return { allow: bothAllow(a.allow, b.allow), ask: union(a.ask, b.ask), deny: union(a.deny, b.deny) };
}

/** As our `tools` key has it; undefined where nothing was said. */
export function gateAsTools({ allow, ask, deny }: ToolGate): Data | undefined {
  if (ask.length === 0 && deny.length === 0) return allow === undefined ? undefined : [...allow];
  return {
    ...(allow === undefined ? {} : { allow: [...allow] }),
    ...(ask.length === 0 ? {} : { ask: [...ask] }),
    ...(deny.length === 0 ? {} : { deny: [...deny] }),
  };
}

/** Everything that there is, by name, so that one of them can be left out or scoped. */
export const EVERY_TOOL: readonly string[] = [...TOOLS, "mcp__*__*"];

/** Tools that change something, or can. */
export const CHANGING_TOOLS: readonly string[] = ["Write", "Edit", "NotebookEdit", "Bash", "restart_service"];

export const READ_ONLY: ToolGate = { ...OPEN_GATE, deny: CHANGING_TOOLS };

const PATH_TOOLS = new Set(["Read", "Write", "Edit", "Grep", "Glob", "LS"]);

/** File tools only below these folders. Commands cannot be held to a folder, so they are left out. */
export function confineToFolders(folders: readonly string[], allow: readonly string[] | undefined): ToolGate {
  const clean = folders.map((folder) => folder.replace(/^\.\//, "").replace(/[/*]*$/, ""));
  const named = allow === undefined || allow.includes("*") ? EVERY_TOOL : allow;
  const scoped = named.flatMap((rule) => {
    const tool = rule.split("(", 1)[0]!;
    if (tool === "Bash") return [];
    if (!PATH_TOOLS.has(tool)) return [rule];
    // A rule that is scoped already has no intersection that one pattern can say.
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

/** Whether every call that `narrow` lets pass is let pass by `wide` too; in doubt, no. */
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
