// Suggests rules that would have saved people approval requests. The judge itself tries each candidate on every past decision.
//  SG1  No suggested rule would have allowed a call that a person refused or edited.
//  SG2  A suggestion is based on calls that people allowed in runs without untrusted input, and is no wider than these calls.

import { type DeclaredFacts, type FindFacts, targetText } from "../journal/tool-facts.ts";
import type { Judge, PastCall, PermissionRequest } from "./permission.ts";
import { quoteArgv } from "./shell/argv-pattern.ts";
import { parseShell } from "./shell/parse-shell.ts";
import { mayRunCode } from "./shell/possible-commands.ts";

export interface Suggestion {
  rule: string;
  /** Number of allowed calls that would not have needed approval. `of` is the number of all allowed calls of the same kind. */
  spared: number;
  of: number;
  /** Number of similar calls that people refused. The rule allows none of them. */
  refused: number;
  /** Some calls that would still need approval. */
  stillAsked: string[];
}

/** Minimum number of similar calls. Fewer do not show a habit. */
const FEWEST = 3;
const MOST_TRIED = 40;
const MOST_SUGGESTED = 5;
const MOST_SHOWN = 5;

export function suggestRules(past: readonly PastCall[], judge: Judge, find: FindFacts): Suggestion[] {
  const refused = past.filter(({ decided }) => decided === "refused");
  // Calls that current rules allow need no new rule. No rule is suggested for calls that current rules deny.
  const asked = past.filter(
    ({ decided, request }) =>
      decided === "allowed" && isEvidence(request) && judge(request).verdict === "ask",
  );
  const lets =
    (rule: string) =>
    ({ request }: PastCall): boolean =>
      judge(withRule(request, rule)).verdict === "allow";
  const tried = candidatesOf(asked, find)
    .filter((rule) => !refused.some(lets(rule)))
    .map((rule) => ({ rule, spares: new Set(asked.filter(lets(rule))) }))
    .sort((a, b) => b.spares.size - a.spares.size || b.rule.length - a.rule.length);
  const chosen: Suggestion[] = [];
  const spared = new Set<PastCall>();
  for (const { rule, spares } of tried) {
    if (chosen.length === MOST_SUGGESTED || spares.difference(spared).size < FEWEST) continue;
    for (const call of spares) spared.add(call);
    chosen.push(suggestionFor(rule, spares, asked, refused, find));
  }
  return chosen;
}

/** Whether a decision shows a habit. Approvals after untrusted input, or in a fork, do not (A67). */
const isEvidence = ({ taint, forked }: PermissionRequest): boolean => !forked && !taint?.sources.length;

const withRule = (request: PermissionRequest, rule: string): PermissionRequest => ({
  ...request,
  authority: [...request.authority, { source: "suggested", rules: { allow: [rule], ask: [], deny: [] } }],
});

/** Rules that enough calls support. A wildcard is used only if the calls differ in the part that it replaces. */
function candidatesOf(asked: readonly PastCall[], find: FindFacts): string[] {
  const support = new Map<string, { calls: number; seen: Set<string>; isOpen: boolean }>();
  for (const { request } of asked) {
    for (const { rule, seen, isOpen } of candidateRules(request.tool, request.input, find(request.tool))) {
      const known = support.get(rule) ?? { calls: 0, seen: new Set(), isOpen };
      support.set(rule, { ...known, calls: known.calls + 1, seen: known.seen.add(seen) });
    }
  }
  return [...support]
    .filter(([, { calls, seen, isOpen }]) => calls >= FEWEST && (!isOpen || seen.size > 1))
    .sort(([a, one], [b, other]) => other.calls - one.calls || b.length - a.length)
    .slice(0, MOST_TRIED)
    .map(([rule]) => rule);
}

function suggestionFor(
  rule: string,
  spares: ReadonlySet<PastCall>,
  asked: readonly PastCall[],
  refused: readonly PastCall[],
  find: FindFacts,
): Suggestion {
  const kindOf = ({ request: { tool } }: PastCall): string => (changesFiles(find(tool)) ? "Edit" : tool);
  const kind = kindOf(spares.values().next().value!);
  const alike = asked.filter((call) => kindOf(call) === kind);
  const rest = alike.filter((call) => !spares.has(call)).map(({ title }) => title);
  return {
    rule,
    spared: spares.size,
    of: alike.length,
    refused: refused.filter((call) => kindOf(call) === kind).length,
    stillAsked: [...new Set(rest)].slice(0, MOST_SHOWN),
  };
}

/** True if the tool changes files. The rule `Edit(x)` covers all such tools. */
const changesFiles = (facts: DeclaredFacts | undefined): boolean =>
  facts?.target?.kind === "path" && facts.target.use === "changes";

interface Candidate {
  rule: string;
  /** The part of the call that a wildcard would replace. A wildcard is suggested only if this part differs between calls. */
  seen: string;
  isOpen: boolean;
}

export function candidateRules(tool: string, input: unknown, facts: DeclaredFacts | undefined): Candidate[] {
  const { target, server } = facts ?? {};
  const value = targetText(target, input);
  if (target?.kind === "command") return forCommand(tool, value);
  if (target?.kind === "path") return forPath(target.use === "changes" ? "Edit" : tool, value);
  const isOfServer = server !== undefined || (facts === undefined && tool.startsWith("mcp__"));
  return isOfServer ? [{ rule: tool, seen: "", isOpen: false }] : [];
}

const LONGEST_FIXED = 4;

function forCommand(tool: string, command: string): Candidate[] {
  const { grade, commands, redirects, texts } = parseShell(command);
  const [only, ...others] = commands;
  if (grade !== "exact" || !only || others.length + redirects.length + texts.length > 0) return [];
  const argv = only.argv as readonly string[];
  if (only.assigns || only.fed || mayRunCode(argv) || isWild(argv)) return [];
  const exact: Candidate = { rule: `${tool}(${quoteArgv(argv)})`, seen: "", isOpen: false };
  const fixed = Array.from({ length: Math.min(LONGEST_FIXED, argv.length) - 1 }, (_, at) => at + 2);
  const open = fixed.filter((length) => isMeaningful(argv.slice(0, length)));
  return [
    exact,
    ...open.map((length) => ({
      rule: `${tool}(${quoteArgv(argv.slice(0, length))} *)`,
      seen: argv.slice(length).join("\0"),
      isOpen: true,
    })),
  ];
}

/** True if these words are enough to tell what a command does. A program name, alone or with only a flag, is not enough. */
const isMeaningful = (words: readonly string[]): boolean => !words.at(-1)!.startsWith("-");

/** Programs whose effects cannot be undone, that reach other machines, or that run any code. A person decides about each of their calls. */
const PROGRAMS = new Set(
  `aws az chmod chown curl dd docker doas eval exec gcloud gh helm kill killall kubectl mkfs mysql nc pkill podman psql reboot
  rm rmdir rsync scp sftp shred shutdown source ssh su sudo systemctl telnet terraform truncate wget`.split(
    /\s+/,
  ),
);

const VERBS =
  /^(apply|clean|delete|deploy|destroy|drop|prune|publish|purge|push|release|remove|reset|rm|uninstall)$/i;

function isWild([program = "", ...words]: readonly string[]): boolean {
  return PROGRAMS.has(program.slice(program.lastIndexOf("/") + 1)) || words.some((word) => VERBS.test(word));
}

function forPath(name: string, written: string): Candidate[] {
  const path = written.replace(/^\.\//, "");
  if (path === "" || path !== path.trim() || /^\/|(^|\/)\.\.?(\/|$)|[\\*?[\]{}()!]/.test(path)) return [];
  const folders = path.split("/").slice(0, -1);
  const [, ending] = /[^/](\.[\w-]+)$/.exec(path) ?? [];
  const wide = folders.flatMap((_, at) => {
    const folder = folders.slice(0, at + 1).join("/");
    return [...(ending === undefined ? [] : [`${folder}/**/*${ending}`]), `${folder}/**`];
  });
  return [
    { rule: `${name}(${path})`, seen: "", isOpen: false },
    ...wide.map((pattern) => ({ rule: `${name}(${pattern})`, seen: path, isOpen: true })),
  ];
}
