// Compiles rules as people write them: `Bash`, `Bash(git diff *)`, `Write(src/**)`, `mcp__git__*`, `*`. Each list is compiled only once.
//  - Allow rules are strict about case, words and wildcards, and never match an unclear call.
//  - Ask and deny rules are wide: they ignore case, look inside wrapper commands, and also apply if a match is merely possible.
//  - `Edit(path)` and `Write(path)` are both about changing that path, by any tool or redirection. `Read(path)` is about reading the path.

import { compileGlob } from "../glob-pattern.ts";
import { findSecretMarks } from "../journal/masking/mask.ts";
import { type NamedTool, showsContent } from "../journal/tool-facts.ts";
import type { Call, Unit } from "./call.ts";
import { type PathRuleOptions, pathRule } from "./path-rule.ts";
import {
  type ArgvPattern,
  looseFlagMatcher,
  type Match,
  matchAnyCase,
  matchArgv,
  mentionsProgram,
  parseArgvPattern,
  wordsMatcher,
} from "./shell/argv-pattern.ts";
import { wildcard } from "./wildcard.ts";

/** How a rule is read: `strict` for allow rules, `wide` for ask and deny rules. */
export type Reading = "strict" | "wide";

export interface Rule {
  text: string;
  /** A more specific rule has a higher weight. */
  weight: number;
  /** True if the rule names only a tool, without a pattern. */
  bare: boolean;
  /** True if the rule names this tool. A rule such as `Read(x)` also concerns tools that it does not name. */
  names(tool: string): boolean;
  matches(unit: Unit): Match;
}

/** The rules of a list that can apply to this tool. */
export function rulesFor(list: readonly string[], reading: Reading, tool: NamedTool): readonly Rule[] {
  if (list.length === 0) return NONE;
  const compiled = compiledList(list, reading);
  const key = `${tool.name} ${tool.target ? JSON.stringify(tool.target) : ""}`;
  const known = compiled.byTool.get(key);
  if (known) return known;
  const found = compiled.rules.filter((rule) => rule.concerns(tool));
  compiled.byTool.set(key, found);
  return found;
}

/** The first rule that matches a part of the call. If no rule matches, the first rule that might match. */
export function firstMatch(
  rules: readonly Rule[],
  call: Call,
): { rule: Rule; match: "yes" | "maybe" } | undefined {
  let perhaps: Rule | undefined;
  for (const rule of rules) {
    for (const unit of call.units) {
      call.checkDeadline();
      const match = rule.matches(unit);
      if (match === "yes") return { rule, match };
      if (match === "maybe") perhaps ??= rule;
    }
  }
  return perhaps && { rule: perhaps, match: "maybe" };
}

/** Describes in a sentence what is wrong with a rule's text. Undefined if the rule is valid. */
export function ruleProblem(text: string): string | undefined {
  const parts = split(text);
  if (!parts)
    return `"${text}" is not a rule: write a tool's name, or a name with a pattern, as Bash(npm test)`;
  if (parts.pattern === undefined) return undefined;
  if (parts.tool.includes("*")) return `"${text}" has a pattern, so it must name one tool`;
  if (parts.tool.toLowerCase() === "bash" && !parseArgvPattern(parts.pattern))
    return `the pattern of "${text}" cannot be read: is a quote left open?`;
  const glob = compileGlob(parts.pattern, { isRule: true });
  return parts.tool.toLowerCase() === "bash" || glob.ok
    ? undefined
    : `the pattern of "${text}" cannot be read: ${glob.why}`;
}

interface CompiledRule extends Rule {
  concerns(tool: NamedTool): boolean;
}

interface CompiledList {
  rules: readonly CompiledRule[];
  byTool: Map<string, readonly Rule[]>;
}

const NONE: readonly Rule[] = [];

const CACHE: Record<Reading, WeakMap<readonly string[], CompiledList>> = {
  strict: new WeakMap(),
  wide: new WeakMap(),
};

function compiledList(list: readonly string[], reading: Reading): CompiledList {
  const known = CACHE[reading].get(list);
  if (known) return known;
  const compiled = { rules: list.map((text) => compile(text, reading)), byTool: new Map() };
  CACHE[reading].set(list, compiled);
  return compiled;
}

function compile(text: string, reading: Reading): CompiledRule {
  if (reading === "wide" && findSecretMarks(text).length > 0) return maskedRule(text);
  const parts = split(text);
  if (!parts || ruleProblem(text)) return unreadableRule(text, reading);
  const names = nameMatcher(parts.tool, reading);
  const namesTool = (tool: NamedTool): boolean => names(tool.name);
  const { pattern } = parts;
  if (pattern === undefined) {
    return {
      text,
      bare: true,
      names,
      concerns: namesTool,
      weight: bareWeight(parts.tool),
      matches: bareMatcher(reading),
    };
  }
  return unlessUnseen(compilePattern(text, pattern, names, reading), reading);
}

function compilePattern(
  text: string,
  pattern: string,
  names: (tool: string) => boolean,
  reading: Reading,
): CompiledRule {
  const namesTool = ({ name }: NamedTool): boolean => names(name);
  const base = { text, bare: false, names };
  const about = (speaksOf: "change" | "read") => ({
    ...base,
    ...pathMatching({ pattern, reading, speaksOf }),
  });
  if (names("Bash")) {
    const concerns = (tool: NamedTool) => namesTool(tool) || (reading === "wide" && runsCommands(tool));
    return { ...base, ...argvRule(parseArgvPattern(pattern)!, reading), concerns };
  }
  if (names("Write") || names("Edit"))
    return { ...about("change"), concerns: (tool) => namesTool(tool) || changesFiles(tool) };
  if (names("Read") && reading === "wide")
    return { ...about("read"), concerns: (tool) => namesTool(tool) || readsFiles(tool) };
  return { ...about("read"), matches: ownMatcher(pattern, reading), concerns: namesTool };
}

/** Adapts a rule to text that is too long to judge: an ask or deny rule is treated as matching, an allow rule as not matching. */
function unlessUnseen(rule: CompiledRule, reading: Reading): CompiledRule {
  const matches = (unit: Unit): Match =>
    unit.kind === "unread" && unit.unseen ? (reading === "wide" ? "maybe" : "no") : rule.matches(unit);
  return { ...rule, matches };
}

const runsCommands = ({ target }: NamedTool): boolean => target?.kind === "command";

/** Whether the tool can change files. A tool that runs commands can both change and read files. */
const changesFiles = (tool: NamedTool): boolean =>
  runsCommands(tool) || (tool.target?.kind === "path" && tool.target.use === "changes");
const readsFiles = ({ target }: NamedTool): boolean =>
  target?.kind === "command" || showsContent(target) || (target?.kind === "path" && target.use === "lists");

/** Compares the pattern with the target of the tool's calls: a path, a command, or plain text. */
function ownMatcher(pattern: string, reading: Reading): CompiledRule["matches"] {
  const path = pathRule({ pattern, reading, speaksOf: "read" });
  const argv = parseArgvPattern(pattern);
  const command = argv && argvRule(argv, reading);
  const text = textMatcher(pattern, reading);
  const domain = domainMatcher(pattern, reading);
  return (unit) => {
    if (unit.kind === "plain")
      return domain && unit.hostname !== undefined ? domain(unit.hostname) : text(unit);
    if (unit.kind === "path") return path.matches(unit);
    return command?.matches(unit) ?? "no";
  };
}

/** A rule that was recorded with a masked secret (A61). It might match any call, because its target is unknown. */
const maskedRule = (text: string): CompiledRule => ({
  text,
  weight: 0,
  bare: false,
  names: () => true,
  concerns: () => true,
  matches: () => "maybe",
});

/**
 * A rule whose text cannot be read. It allows nothing. As an ask or deny rule, it applies to every call of the tool that it seems to name,
 * and might apply to every command that could do the same.
 */
function unreadableRule(text: string, reading: Reading): CompiledRule {
  const names = nameMatcher(text.split("(", 1)[0]!.trim(), reading);
  const concerns = (tool: NamedTool): boolean =>
    reading === "wide" &&
    (names(tool.name) ||
      (names("Bash") && runsCommands(tool)) ||
      (names("Read") && readsFiles(tool)) ||
      ((names("Write") || names("Edit")) && changesFiles(tool)));
  const matches = ({ kind }: Unit): Match =>
    kind === "path" || kind === "plain" || names("Bash") ? "yes" : "maybe";
  return { text, weight: 0, bare: false, names, concerns, matches };
}

/** Matches a rule without a pattern. An ask or deny rule covers every call. An allow rule covers no protected file and no unreadable command. */
function bareMatcher(reading: Reading): (unit: Unit) => Match {
  if (reading === "wide") return () => "yes";
  return (unit) => (unit.protected !== undefined || (unit.kind === "unread" && unit.broken) ? "no" : "yes");
}

type Matching = Pick<CompiledRule, "weight" | "matches">;

function argvRule(pattern: ArgvPattern, reading: Reading): Matching {
  const strict = (unit: Unit): Match => {
    if (unit.kind !== "command" || !unit.exact || unit.command.assigns || unit.elsewhere) return "no";
    if (unit.protected !== undefined && !pattern.exact) return "no";
    return matchArgv(pattern, unit.command.argv) === "yes" ? "yes" : "no";
  };
  const matches = matchAnyCase(pattern);
  const loosely = looseFlagMatcher(pattern);
  const asText = wordsMatcher(pattern);
  const wide = (unit: Unit): Match => {
    if (unit.kind !== "command" && unit.kind !== "text") return "no";
    const { argvs, code } = unit.reach();
    const found = new Set([matches, loosely, asText].flatMap((test) => (test ? argvs.map(test) : [])));
    if (unit.kind === "command" && found.has("yes")) return "yes";
    return found.has("yes") || found.has("maybe") || code.some((text) => mentionsProgram(pattern, text))
      ? "maybe"
      : "no";
  };
  return {
    weight: patternWeight(pattern.weight, pattern.exact),
    matches: reading === "strict" ? strict : wide,
  };
}

function pathMatching(options: PathRuleOptions): Matching {
  const { weight, exact, matches } = pathRule(options);
  return { weight: patternWeight(weight, exact), matches };
}

/** Compares the pattern with every text in the input of an unknown tool. A match can lead to ask or deny, but never to allow. */
function textMatcher(pattern: string, reading: Reading): CompiledRule["matches"] {
  if (reading === "strict") return () => "no";
  const glob = compileGlob(pattern, { ignoreCase: true, isRule: true, isText: true });
  return (unit) =>
    unit.kind === "plain" && glob.ok && unit.strings.some((text) => glob.matches(text)) ? "yes" : "no";
}

/** Compares `domain:example.com` with the host of an address. An allow rule covers subdomains only if it says `domain:*.example.com`. */
function domainMatcher(pattern: string, reading: Reading): ((hostname: string) => Match) | undefined {
  const [, below, name] = /^domain:(\*\.)?(.+)$/is.exec(pattern) ?? [];
  if (name === undefined) return undefined;
  const domain = name.trim().toLowerCase().replace(/\.$/, "");
  return (hostname) => {
    const host = hostname.toLowerCase().replace(/\.$/, "");
    const isBelow = host.endsWith(`.${domain}`);
    if (reading === "strict") return (below ? isBelow : host === domain) ? "yes" : "no";
    return host === domain || isBelow ? "yes" : "no";
  };
}

function split(text: string): { tool: string; pattern?: string } | undefined {
  const match = /^([^\s()]+)(?:\((.+)\))?$/s.exec(text.trim());
  if (!match) return undefined;
  const [, tool, pattern] = match;
  return pattern === undefined || pattern.trim() === "*"
    ? { tool: tool! }
    : { tool: tool!, pattern: pattern.trim() };
}

function nameMatcher(name: string, reading: Reading): (tool: string) => boolean {
  if (!name.includes("*") && reading === "strict") return (tool) => tool === name;
  return wildcard(name.split("*"), reading === "wide").test;
}

const bareWeight = (tool: string): number => (tool.includes("*") ? tool.replaceAll("*", "").length : 1_000);

const patternWeight = (weight: number, exact: boolean): number => (exact ? 1_000_000 : 2_000) + weight;
