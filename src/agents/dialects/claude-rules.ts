// Translates a permission rule of Claude Code to Cadre's rules.
// A deny or ask rule covers every meaning that some version of Claude Code gives it. An allow rule gets its narrowest meaning.

import type { RuleEffect } from "../../permissions/rule-problems.ts";
import { splitNames, toolMeaning } from "./tool-names.ts";

/** Returns Cadre's rules for one rule of Claude Code. */
export function translateRule(text: string, effect: RuleEffect, home: string): string[] {
  const [, tool, pattern] = /^([^\s()]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  // The common checks report a malformed rule, so it is passed on unchanged. A malformed deny rule denies the whole tool.
  if (tool === undefined) return [text];
  const wide = effect !== "allow";
  const scope = pattern?.trim();
  const isBare = scope === undefined || scope === "" || scope === "*";
  if (/^notebookedit$/i.test(tool)) return notebookRules(isBare ? undefined : scope, { wide, home });
  const meaning = toolMeaning(tool);
  if (meaning.kind === "delegation" || /^agent$/i.test(tool))
    return delegationRules(isBare ? undefined : scope);
  const names = meaning.kind === "tools" ? meaning.rules : [tool];
  if (isBare) return [...names];
  return names.flatMap((name) => scopedRules(name, scope, { wide, deny: effect === "deny", home }));
}

interface Scoping {
  wide: boolean;
  deny?: boolean;
  home: string;
}

function scopedRules(name: string, scope: string, { wide, deny = false, home }: Scoping): string[] {
  if (name === "Bash") return [`Bash(${scope})`, ...(wide ? prefixRules(scope) : [])];
  if (name === "Skill") return [`Skill(${scope.replace(/(:| )\*$/, "")})`];
  if (!PATH_TOOLS.has(name)) return [`${name}(${scope})`];
  const paths = wide ? widePaths(scope, home) : [narrowPath(scope, home)];
  const rules = paths.map((path) => `${name}(${path})`);
  // Claude Code does not edit a file that a rule forbids it to read.
  return name === "Read" && deny ? [...rules, ...paths.map((path) => `Edit(${path})`)] : rules;
}

const PATH_TOOLS = new Set(["Read", "Edit", "Write", "Glob", "Grep", "LS"]);

/** In `Bash(curl https://a.example/:*)`, text can follow the prefix without a space. */
function prefixRules(scope: string): string[] {
  const prefix = scope.endsWith(":*") ? scope.slice(0, -2) : undefined;
  return prefix !== undefined && /[^\w\s]$/.test(prefix) ? [`Bash(${prefix}*)`] : [];
}

/** Cadre's rules treat a notebook as a file that Edit changes. */
function notebookRules(scope: string | undefined, { wide, home }: Scoping): string[] {
  if (scope === undefined) return ["Edit(**/*.ipynb)"];
  return scopedRules("Edit", scope, { wide, home });
}

/** The name might mean an agent in any pack, so there is a second rule for names in packs. */
function delegationRules(scope: string | undefined): string[] {
  if (scope === undefined) return ["delegate"];
  return splitNames(scope).flatMap((name) => [`delegate(${name})`, `delegate(**/${name})`]);
}

/** The narrowest reading of a path pattern. The path is relative to the project, unless the pattern is absolute. */
function narrowPath(pattern: string, home: string): string {
  const absolute = absolutePath(pattern, home);
  return absolute ?? pattern.replace(/^\.?\/+/, "");
}

/** All readings of a path pattern: anchored or at any depth, a file or a folder with everything in it. */
function widePaths(pattern: string, home: string): string[] {
  const absolute = absolutePath(pattern, home);
  if (absolute !== undefined) return withContent(absolute);
  const path = pattern.replace(/^\.?\/+/, "");
  // In Claude Code, `/x` means `x` in the project. But people also write it for an absolute path.
  const rooted = pattern.startsWith("/") ? withContent(pattern) : [];
  const isAnchored = /^\.?\//.test(pattern) || /\/./.test(path.replace(/^\*\*\//, ""));
  return [...withContent(isAnchored || path.startsWith("**/") ? path : `**/${path}`), ...rooted];
}

/** `//x` and `~/x` are absolute paths. */
function absolutePath(pattern: string, home: string): string | undefined {
  if (pattern.startsWith("//")) return pattern.slice(1);
  return /^~(?=\/|$)/.test(pattern) ? home + pattern.slice(1) : undefined;
}

/** As in `.gitignore`, a pattern for a folder covers everything in it. Cadre's rules without wildcards already do that. */
function withContent(pattern: string): string[] {
  const path = pattern.replace(/\/+$/, "");
  if (!/[*?[{(!]/.test(path)) return [path];
  return /(^|\/)\*\*$/.test(path) ? [path] : [path, `${path}/**`];
}
