// Translates opencode's permission map into a tool gate: lists of allow, ask and deny rules.
// In opencode, the last matching rule decides. In Cadre, a deny rule always wins.
// An exception to a deny rule is translated to a narrow allow rule. A rule whose effect depends on the order is narrowed, with a warning.
// An `allow` in the map grants nothing by itself: the project's own rules still decide about each call.

import type { Data, Path } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { isMapping } from "../files/parse.ts";
import { OPEN_GATE, type ToolGate } from "./tool-gate.ts";
import { TOOLS, targetOf, toolMeaning } from "./tool-names.ts";
import {
  commandPattern,
  matchesEverything,
  mayOverlap,
  pathPattern,
  type TranslatedPattern,
  wildcard,
} from "./wildcards.ts";

export interface MapReading {
  gate: ToolGate;
  /** The agents that `task` allows as delegates. Undefined if `task` does not restrict the delegates. */
  agents?: string[];
  /** Keys whose rules were narrowed because they depend on the order of the rules, which has no meaning in Cadre. */
  narrowed: string[];
  /** Paths of the values that are not permissions. */
  bad: Path[];
}

/** Each key is a tool name and can contain wildcards. Each value is an action, a boolean, or a map from patterns to actions. */
export function readPermissionMap(map: Readonly<Record<string, Data>>): MapReading {
  const bad: Path[] = [];
  const rules = Object.entries(map).flatMap(([key, value]) => rulesOf(key, value, bad));
  const narrowed = new Set<string>();
  const outcomes = outcomesOf(rules, narrowed);
  const gate = composeGate(outcomes, rules);
  reportLostServers(gate, outcomes, narrowed);
  const agents = readTask(rules, narrowed);
  return omitUndefined({ gate, agents, narrowed: [...narrowed], bad });
}

type Action = "allow" | "ask" | "deny";

interface MapRule {
  key: string;
  pattern: string;
  action: Action;
}

function rulesOf(key: string, value: Data, bad: Path[]): MapRule[] {
  const patterns = isMapping(value) ? value : undefined;
  return Object.entries(patterns ?? { "*": value }).flatMap(([pattern, said]) => {
    const action = actionOf(said);
    if (action) return [{ key, pattern, action }];
    bad.push(patterns ? [key, pattern] : [key]);
    return [];
  });
}

function actionOf(value: Data): Action | undefined {
  if (typeof value === "boolean") return value ? "allow" : "deny";
  return value === "allow" || value === "ask" || value === "deny" ? value : undefined;
}

/** A built-in tool, or some tools of MCP servers. */
interface Subject {
  kind: "command" | "path" | "other";
  /** Rules that allow every call of the subject. */
  tools: readonly string[];
  /** Rules that cover every call of the subject, used to ask about these calls or to deny them. */
  held: readonly string[];
  /** The subject's names in the map. A call must pass the rules of every name. */
  words: readonly string[];
}

function outcomesOf(rules: readonly MapRule[], narrowed: Set<string>): Outcome[] {
  const keys = [...new Set(rules.map(({ key }) => key))];
  const subjects = [...TOOLS.map((tool) => ownSubject(tool, keys)), ...keys.flatMap(serverSubject)];
  return subjects.map((subject) => {
    const each = subject.words.map((word) =>
      outcomeOf(
        subject,
        rules.filter(({ key }) => wildcard(key).test(word)),
        narrowed,
      ),
    );
    return each.reduce(bothOutcomes);
  });
}

/** In opencode, the name `edit` includes every tool that changes files. */
const GROUPS = { edit: ["Edit", "Write"] };

/** opencode's names for Cadre's tools. They are used if no key of the map names the tool. */
const WORDS: Readonly<Record<string, string>> = { Write: "edit", LS: "list", AskUser: "question" };

/** In opencode, a pattern for these tools is the text to search for, not a path. */
const SEARCHES = new Set(["Grep", "Glob"]);

function ownSubject(tool: string, keys: readonly string[]): Subject {
  const named = keys.filter((key) => {
    if (key.includes("*")) return false;
    const meaning = toolMeaning(key, { groups: GROUPS });
    return meaning.kind === "tools" && meaning.rules.includes(tool);
  });
  const words = named.length > 0 ? named : [WORDS[tool] ?? tool];
  if (keys.some((key) => !matchesEverything(key) && wildcard(key).test(tool))) words.push(tool);
  const kind = SEARCHES.has(tool) ? "other" : (targetOf(tool) ?? "other");
  return { kind, tools: [tool], held: [tool], words };
}

function serverSubject(key: string): Subject[] {
  if (matchesEverything(key) || /[^\w.*-]/.test(key) || NOT_TOOLS.has(key)) return [];
  if (!key.includes("*") && toolMeaning(key).kind !== "unknown" && !/^mcp__/i.test(key)) return [];
  const held = serverTools(key, "hold");
  return held.length === 0 ? [] : [{ kind: "other", tools: serverTools(key, "pass"), held, words: [key] }];
}

const NOT_TOOLS = new Set(["external_directory", "doom_loop"]);

/** A name like `server_tool` does not show where the server's name ends, so each underscore gives a separate rule, as in opencode. */
function serverTools(word: string, effect: "pass" | "hold"): string[] {
  if (/^mcp__/i.test(word)) return [/^mcp__(.+?)__/i.test(word) ? word : `${word}__*`];
  const ends = [...word.matchAll(/_(?=.)/g)].filter(({ index }) => index > 0);
  const split = ends.map(({ index }) => `mcp__${word.slice(0, index)}__${word.slice(index + 1)}`);
  if (effect === "pass") return split.filter((rule) => !rule.startsWith("mcp__*__*"));
  const inside = [...word.matchAll(/\*/g)].map(
    ({ index }) => `mcp__${word.slice(0, index)}*__*${word.slice(index + 1)}`,
  );
  return [...split, ...inside];
}

/** The calls of a subject that the map allows: all calls, no calls, or the calls that match the rules in `pass`. */
interface Outcome {
  subject: Subject;
  pass: "all" | "none" | readonly string[];
  ask: readonly string[];
  deny: readonly string[];
}

function bothOutcomes(a: Outcome, b: Outcome): Outcome {
  const pass = bothPass(a.pass, b.pass);
  return { subject: a.subject, pass, ask: [...a.ask, ...b.ask], deny: [...a.deny, ...b.deny] };
}

function bothPass(a: Outcome["pass"], b: Outcome["pass"]): Outcome["pass"] {
  if (a === "all") return b;
  if (b === "all") return a;
  if (a === "none" || b === "none") return "none";
  return a.filter((rule) => b.includes(rule));
}

/** The last rule that matches everything is the default. Each later rule is an exception to the default or to an earlier exception. */
function outcomeOf(subject: Subject, rules: readonly MapRule[], narrowed: Set<string>): Outcome {
  const at = rules.findLastIndex(({ pattern }) => matchesEverything(pattern));
  const ground = rules[at]?.action ?? "allow";
  const exceptions = rules.slice(at + 1);
  const pass: string[] = [];
  const ask = ground === "ask" ? [...subject.held] : [];
  const deny: string[] = [];
  for (const [index, rule] of exceptions.entries()) {
    const earlier = exceptions.slice(0, index).filter(({ pattern }) => mayOverlap(pattern, rule.pattern));
    const overridden = earlier.some(({ action }) => STRICTNESS[action] > STRICTNESS[rule.action]);
    if (overridden || (rule.action === "allow" && ground === "ask")) narrowed.add(rule.key);
    const hold = () => rulesFor(subject, rule, "hold", narrowed);
    if (rule.action === "deny") {
      // If the default is deny, a deny rule is needed only to revoke an earlier exception.
      if (ground !== "deny" || earlier.some(({ action }) => action !== "deny")) deny.push(...hold());
      continue;
    }
    if (rule.action === "ask") ask.push(...hold());
    if (ground === "deny") pass.push(...rulesFor(subject, rule, "pass", narrowed));
  }
  return { subject, pass: ground !== "deny" ? "all" : pass.length === 0 ? "none" : pass, ask, deny };
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

/** If an ask or deny rule cannot be translated, it applies to the whole tool. If an allow rule cannot be translated, it allows nothing. */
function rulesFor(
  subject: Subject,
  { key, pattern }: MapRule,
  effect: "pass" | "hold",
  narrowed: Set<string>,
): string[] {
  const written = patternFor(subject, pattern, effect);
  if (!written || written.narrowed) narrowed.add(key);
  if (written) return subject.tools.map((tool) => `${tool}(${written.rule})`);
  return effect === "hold" ? [...subject.held] : [];
}

function patternFor(
  subject: Subject,
  pattern: string,
  effect: "pass" | "hold",
): TranslatedPattern | undefined {
  if (pattern.trim() === "" || subject.kind === "other") return undefined;
  if (subject.kind === "command") return commandPattern(pattern, effect);
  const rule = pathPattern(pattern);
  return rule === undefined ? undefined : { rule, narrowed: false };
}

function composeGate(outcomes: readonly Outcome[], rules: readonly MapRule[]): ToolGate {
  const ask = outcomes.flatMap((outcome) => outcome.ask);
  const deny = outcomes.flatMap((outcome) => outcome.deny);
  const rest = rules.findLast(
    ({ key, pattern }) => matchesEverything(key) && matchesEverything(pattern),
  )?.action;
  if (rest === "ask") ask.push("mcp__*__*");
  const none = outcomes.filter(({ pass }) => pass === "none");
  const closed = rest === "deny" || outcomes.some(({ pass }) => typeof pass === "object");
  if (!closed) {
    return unique({ ...OPEN_GATE, ask, deny: [...deny, ...none.flatMap(({ subject }) => subject.held)] });
  }
  const allow = outcomes.flatMap(({ subject, pass }) =>
    pass === "all" ? subject.tools : pass === "none" ? [] : pass,
  );
  const servers = none.filter(({ subject }) => subject.held.some((rule) => rule.startsWith("mcp__")));
  // Servers that the file does not mention stay allowed, so each denied server needs a deny rule.
  const taken = rest === "deny" ? servers.filter((outcome) => takesBack(outcome, outcomes)) : servers;
  return unique({
    allow: rest === "deny" ? allow : [...allow, "mcp__*__*"],
    ask,
    deny: [...deny, ...taken.flatMap(({ subject }) => subject.held)],
  });
}

/** Whether an earlier rule allowed a wider name, such as a wildcard, that includes this denied server. */
function takesBack({ subject }: Outcome, outcomes: readonly Outcome[]): boolean {
  const at = outcomes.findIndex((outcome) => outcome.subject === subject);
  return outcomes
    .slice(0, at)
    .some((other) => other.pass !== "none" && mayOverlap(other.subject.words[0]!, subject.words[0]!));
}

/** Reports each server that the map allows as an exception to an earlier deny rule: in Cadre the deny rule wins. */
function reportLostServers(gate: ToolGate, outcomes: readonly Outcome[], narrowed: Set<string>): void {
  for (const [index, { subject, pass }] of outcomes.entries()) {
    const word = subject.words[0]!;
    if (pass === "none" || !subject.tools[0]?.startsWith("mcp__")) continue;
    const denied = outcomes
      .slice(0, index)
      .some(
        (other) => mayOverlap(other.subject.words[0]!, word) && gate.deny.includes(other.subject.held[0]!),
      );
    if (denied) narrowed.add(word);
  }
}

/** The agents that `task` allows as delegates. A rule with a wildcard allows no delegate. */
function readTask(rules: readonly MapRule[], narrowed: Set<string>): string[] | undefined {
  const own = rules.filter(({ key }) => isTask(key) || (key.includes("*") && wildcard(key).test("task")));
  const named: string[] = [];
  for (const { key, pattern } of own.filter((rule) => isTask(rule.key) && !matchesEverything(rule.pattern))) {
    const action = own.findLast((rule) => wildcard(rule.pattern).test(pattern))!.action;
    if (action === "allow" && !/[*?]/.test(pattern)) named.push(pattern);
    else if (action !== "deny") narrowed.add(key);
  }
  const ground = own.findLast(({ pattern }) => matchesEverything(pattern))?.action;
  return named.length > 0 || ground === "deny" ? [...new Set(named)] : undefined;
}

const isTask = (key: string): boolean => toolMeaning(key).kind === "delegation";

const unique = ({ allow, ask, deny }: ToolGate): ToolGate => ({
  allow: allow && [...new Set(allow)],
  ask: [...new Set(ask)],
  deny: [...new Set(deny)],
});
