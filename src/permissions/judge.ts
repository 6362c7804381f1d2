// Judges a call, and names the rule that determined the verdict. The checks run in this order:
//   the agent's gate > deny > a person's grants > ask (in a fork, by an ancestor, or because of taint)
//   > the most specific ask or allow rule > the preset > a loaded skill > the default.
// An unreadable part of a command never matches an allow rule. If that part might match a deny rule, the call needs approval.
// The preset is the default policy when no rule matches. A project or a run chooses the preset.
// The run's preset overrides the project's preset, except that `read-only` always applies.
//   read-only  allows reads; every other call is denied, whatever a rule or a grant says
//   ask        requires approval for a change and allows the rest; used if no preset is chosen
//   edits      also allows Write and Edit, except for protected files
//   trusted    allows everything that is not protected and that no rule denies or asks about

import type { Preset } from "../journal/definition.ts";
import {
  canReach,
  type DeclaredFacts,
  declaresReach,
  type FindFacts,
  reachesOnlyRuns,
  requestedHost,
} from "../journal/tool-facts.ts";
import { type Call, describeCall, isReadOnlyUnit, type Unit, unseenUnit } from "./call.ts";
import { JudgingTookTooLong, judgingDeadline } from "./deadline.ts";
import { namedGrant } from "./grant.ts";
import { GRANT_RULE, type Grant, type Judge, type PermissionRequest, type Verdict } from "./permission.ts";
import { isProtectedPath } from "./protected-files.ts";
import { firstMatch, rulesFor } from "./rules.ts";

/** `find` looks up what a tool declares about itself. An unknown tool is assumed to reach everything. `now` is the clock of the deadline. */
export const createJudge =
  (find: FindFacts, now?: () => number): Judge =>
  (request) => {
    const facts = find(request.tool);
    try {
      const checkDeadline = judgingDeadline(now);
      return judgeCall(describeCall(request, facts?.target, checkDeadline), request, facts);
    } catch (error) {
      if (!(error instanceof JudgingTookTooLong)) throw error;
      const tool = { name: request.tool, target: facts?.target };
      return judgeCall({ tool, units: [unseenUnit(error.message)], checkDeadline: () => {} }, request, facts);
    }
  };

function judgeCall(call: Call, request: PermissionRequest, facts: DeclaredFacts | undefined): Verdict {
  const denial = findDenial(call, request, facts?.sameAs);
  const host = requestedHost(facts?.target, request.input);
  const verdict =
    gateVerdict(call, request, facts) ??
    (denial?.sure ? denial.verdict : undefined) ??
    presetDenial(request, facts) ??
    grantVerdict(call, request) ??
    forkVerdict(request) ??
    taintVerdict(request, facts, host) ??
    inheritedAsk(call, request) ??
    denial?.verdict ??
    ruleVerdict(call, request, facts);
  const kept = verdict.verdict === "ask" ? protectedPart(call, request) : undefined;
  return { ...verdict, ...(host ? { host } : {}), ...(kept === undefined ? {} : { protected: kept }) };
}

/** A protected file that the call concerns. In a text that Cadre cannot read as a command, every word is checked. */
function protectedPart({ units }: Call, { isNamed }: PermissionRequest): string | undefined {
  const known = units.find((unit) => unit.protected !== undefined)?.protected;
  if (units.some((unit) => unit.kind === "unread" && unit.unseen))
    return "files, possibly, because the text is too long to judge";
  if (known !== undefined) return known;
  return units
    .flatMap((unit) => (unit.kind === "plain" && unit.hostname === undefined ? unit.strings : []))
    .flatMap((text) => text.slice(0, MAX_SEARCHED).split(/[\s"'`;|&<>()=,:]+/))
    .find((word) => word !== "" && (namesProtected(word) || namesFile(word, isNamed)));
}

const MAX_SEARCHED = 100_000;

/** True if the word is a path with a protected part. A word without a slash is not treated as a path. */
function namesProtected(word: string): boolean {
  const parts = word.split(/[\\/]+/);
  return parts.length > 1 && parts.some(isProtectedPath);
}

/** True if the word is a path that the configuration names. A word without a slash or a dot is not treated as a path. */
const namesFile = (word: string, isNamed: PermissionRequest["isNamed"]): boolean =>
  /[./]/.test(word) && (isNamed?.(word, word.startsWith("/") ? word : undefined) ?? false);

function gateVerdict(
  call: Call,
  { gate }: PermissionRequest,
  facts: DeclaredFacts | undefined,
): Verdict | undefined {
  if (gate.allow === undefined) return undefined;
  const whole = facts?.partOf;
  if (
    whole !== undefined &&
    rulesFor(gate.allow, "strict", { name: whole }).some((rule) => rule.names(whole))
  )
    return undefined;
  const listed = rulesFor(gate.allow, "strict", call.tool).filter((rule) => rule.names(call.tool.name));
  // A tool name without a pattern lets every call of the tool pass, even for protected files. The gate only limits which tools the agent has.
  const passes = call.units.every((unit) => listed.some((rule) => rule.bare || rule.matches(unit) === "yes"));
  return passes ? undefined : { verdict: "deny", rule: "agent tools: not listed" };
}

function findDenial(
  call: Call,
  request: PermissionRequest,
  sameAs: string | undefined,
): { sure: boolean; verdict: Verdict } | undefined {
  let doubt: { sure: boolean; verdict: Verdict } | undefined;
  const own = { source: "agent tools", rules: request.gate };
  for (const { source, rules } of [own, ...request.ancestors, ...request.authority]) {
    const found =
      firstMatch(rulesFor(rules.deny, "wide", call.tool), call) ??
      (sameAs === undefined ? undefined : commandMatch(rules.deny ?? [], sameAs, request, call));
    if (!found) continue;
    const rule = `${source} deny ${found.rule.text}`;
    if (found.match === "yes") return { sure: true, verdict: { verdict: "deny", rule } };
    doubt ??= { sure: false, verdict: { verdict: "ask", rule: `${rule} cannot be ruled out` } };
  }
  return doubt;
}

const BASH = { name: "Bash", target: { kind: "command", field: "command" } } as const;

/** The rule for commands that denies this command. A rule that denies the whole of Bash says nothing about other tools. */
function commandMatch(
  deny: readonly string[],
  command: string,
  request: PermissionRequest,
  { checkDeadline }: Call,
): ReturnType<typeof firstMatch> {
  const rules = rulesFor(deny, "wide", BASH).filter((rule) => !rule.bare && rule.names(BASH.name));
  if (rules.length === 0) return undefined;
  return firstMatch(
    rules,
    describeCall({ ...request, tool: BASH.name, input: { command } }, BASH.target, checkDeadline),
  );
}

function presetDenial(request: PermissionRequest, facts: DeclaredFacts | undefined): Verdict | undefined {
  const { tool, effect } = request;
  if (effect === "read" || reachesOnlyRuns(facts) || presetOf(request) !== "read-only") return undefined;
  return { verdict: "deny", rule: `preset read-only deny ${tool}` };
}

/** The calls that each preset allows in addition to the default, as rules. */
const ALLOWS: Record<Preset, readonly string[]> = {
  "read-only": [],
  ask: [],
  edits: ["Write", "Edit"],
  trusted: ["*"],
};

type Authority = Pick<PermissionRequest, "authority">;

/** The preset in force. `read-only` always wins. Otherwise the last entry wins, because the run's choice comes after the project's choice. */
function presetOf({ authority }: Authority): Preset {
  const chosen = authority.flatMap(({ rules }) => rules.preset ?? []);
  return chosen.includes("read-only") ? "read-only" : (chosen.at(-1) ?? "ask");
}

/** Grants allow a call only if they cover every part of the call. Read-only commands need no grant. */
function grantVerdict(call: Call, request: PermissionRequest): Verdict | undefined {
  const standing = request.grants.filter((grant) => isInForce(grant, request));
  if (standing.length === 0) return undefined;
  let decisive: string | undefined;
  const own = namedGrant(call.tool, request.input);
  for (const unit of call.units) {
    // A grant for `sh` does not cover `cat x | sh`, because the person did not see what `cat x` feeds into `sh`.
    const isFed = unit.kind === "command" && unit.command.fed;
    const grant = standing.find(
      ({ rule, isOutdated }) =>
        !(isOutdated && mayRunProjectCode(unit)) &&
        (rule === own ||
          (!isFed &&
            rulesFor(singleton(rule), "strict", call.tool).some((one) => one.matches(unit) === "yes"))),
    );
    if (grant) decisive ??= grant.rule;
    else if (!isReadOnlyUnit(unit)) return undefined;
  }
  return decisive === undefined
    ? undefined
    : { verdict: "allow", rule: `${GRANT_RULE} ${decisive}`, basis: "grant" };
}

/** True unless the command's program is known to run no files of the project. */
const mayRunProjectCode = (unit: Unit): boolean =>
  unit.kind === "command" && !RUNS_NO_PROJECT_CODE.has(unit.command.argv[0] ?? "");

const RUNS_NO_PROJECT_CODE = new Set(
  "git gh mkdir touch cp mv rm rmdir ln chmod echo printf sleep kill".split(" "),
);

/** True if the grant has not expired and was given for this folder, or for a folder that this folder is a copy of (A21). */
function isInForce(
  { folder, until }: Grant,
  { workspace, mergesInto = [], now }: PermissionRequest,
): boolean {
  if (until !== undefined && until <= now) return false;
  return folder === undefined || folder === workspace || mergesInto.includes(folder);
}

const SINGLETONS = new Map<string, readonly string[]>();

/** A list with one rule. The same rule always gives the same list object, because compiled rules are cached by list. */
function singleton(rule: string): readonly string[] {
  const known = SINGLETONS.get(rule);
  if (known) return known;
  if (SINGLETONS.size > 1_000) SINGLETONS.clear();
  const list = [rule];
  SINGLETONS.set(rule, list);
  return list;
}

/** An effect in a fork needs approval, because the rules were written for the original run. No rule in a file can override this. */
function forkVerdict({ forked, tool }: PermissionRequest): Verdict | undefined {
  return forked ? { verdict: "ask", rule: `fork ask ${tool}: it is not recorded` } : undefined;
}

/** In a tainted run, these calls need approval: irreversible effects, new hosts, and tools that the agent that chose this one does not have. */
function taintVerdict(
  request: PermissionRequest,
  facts: DeclaredFacts | undefined,
  host: string | undefined,
): Verdict | undefined {
  const { taint } = request;
  const [first, ...others] = taint?.sources ?? [];
  if (!taint || first === undefined) return undefined;
  const why = taintReason(request, taint, facts, host);
  if (why === undefined) return undefined;
  const from = others.length === 0 ? first : `${first} and ${others.length} more`;
  return { verdict: "ask", rule: `taint ask: words from ${from} came in${why}`, basis: "taint" };
}

/** Says why a tainted run needs approval for a call. Undefined if the call is harmless. A call of a tool that declares nothing is never harmless. */
function taintReason(
  { effect, tool, hosts }: PermissionRequest,
  { raises, asks = [] }: NonNullable<PermissionRequest["taint"]>,
  facts: DeclaredFacts | undefined,
  host: string | undefined,
): string | undefined {
  if (effect === "unsafe" || !declaresReach(facts)) return "";
  if (raises !== undefined) return `, and ${raises}`;
  if (asks.includes(tool)) return `, and the agent that chose this one has no ${tool}`;
  return isNewHost(host, hosts) ? `, and ${host || "its host"} is new` : undefined;
}

const isNewHost = (host: string | undefined, known: readonly string[] = []): boolean =>
  host !== undefined && !known.includes(host);

function inheritedAsk(call: Call, { gate, ancestors, authority }: PermissionRequest): Verdict | undefined {
  const own = firstMatch(rulesFor(gate.ask, "wide", call.tool), call);
  if (own) return { verdict: "ask", rule: `agent tools ask ${own.rule.text}` };
  for (const { source, rules } of [...ancestors, ...authority.filter(({ asksFirst }) => asksFirst)]) {
    const found = firstMatch(rulesFor(rules.ask, "wide", call.tool), call);
    if (found) return { verdict: "ask", rule: `${source} ask ${found.rule.text}` };
  }
  return undefined;
}

/** Judges each part by its most specific rule, or else by the default. If one part needs approval, the whole call needs approval. */
function ruleVerdict(call: Call, request: PermissionRequest, facts: DeclaredFacts | undefined): Verdict {
  let byRule: Verdict | undefined;
  let byDefault: Verdict | undefined;
  for (const unit of call.units) {
    const rule =
      mostSpecific(unit, call, request.authority) ??
      presetAllowance(unit, call, request) ??
      skillAllowance(unit, call, request);
    const verdict = rule ?? defaultVerdict(unit, call, request, facts);
    if (verdict.verdict === "ask") return verdict;
    byRule ??= rule;
    byDefault = verdict;
  }
  return byRule ?? byDefault ?? { verdict: "ask", rule: `default ask ${call.tool.name}`, basis: "default" };
}

function mostSpecific(
  unit: Unit,
  { tool, checkDeadline }: Call,
  authority: PermissionRequest["authority"],
): Verdict | undefined {
  let best: Verdict | undefined;
  let weight = -1;
  for (const { source, rules, sparesProtected } of authority) {
    for (const rule of rulesFor(rules.ask, "wide", tool)) {
      checkDeadline();
      if (
        rule.weight < weight ||
        (rule.weight === weight && best?.verdict === "ask") ||
        rule.matches(unit) === "no"
      )
        continue;
      best = { verdict: "ask", rule: `${source} ask ${rule.text}` };
      weight = rule.weight;
    }
    if (sparesProtected && unit.protected !== undefined) continue;
    for (const rule of rulesFor(rules.allow, "strict", tool)) {
      if (rule.weight <= weight || rule.matches(unit) !== "yes") continue;
      best = { verdict: "allow", rule: `${source} allow ${rule.text}` };
      weight = rule.weight;
    }
  }
  return best;
}

function presetAllowance(unit: Unit, { tool }: Call, request: Authority): Verdict | undefined {
  const preset = presetOf(request);
  const rule = rulesFor(ALLOWS[preset], "strict", tool).find((one) => one.matches(unit) === "yes");
  return rule && { verdict: "allow", rule: `preset ${preset} allow ${rule.text}` };
}

function skillAllowance(unit: Unit, { tool }: Call, { skills = [] }: PermissionRequest): Verdict | undefined {
  for (const { source, rules } of skills) {
    const rule = rulesFor(rules.allow, "strict", tool).find((one) => one.matches(unit) === "yes");
    if (rule) return { verdict: "allow", rule: `${source} allow ${rule.text}` };
  }
  return undefined;
}

function defaultVerdict(
  unit: Unit,
  { tool }: Call,
  { input, hosts }: PermissionRequest,
  facts: DeclaredFacts | undefined,
): Verdict {
  const host = requestedHost(facts?.target, input);
  if (unit.protected !== undefined) return { verdict: "ask", rule: `protected ${unit.protected}` };
  if (isReadOnlyUnit(unit)) return { verdict: "allow", rule: `default allow ${tool.name}: only reads` };
  if (unit.kind === "unread") {
    const rule = `default ask ${tool.name}: cannot judge, ${unit.why}`;
    return { verdict: "ask", rule, basis: "default", unjudged: unit.why };
  }
  if (isNewHost(host, hosts))
    return {
      verdict: "ask",
      rule: `default ask ${tool.name}: no person named ${host || "its host"}`,
      basis: "default",
    };
  return asksByDefault(facts)
    ? { verdict: "ask", rule: `default ask ${tool.name}`, basis: "default" }
    : { verdict: "allow", rule: `default allow ${tool.name}` };
}

/** Whether the default is to ask: for tools that say so, tools of MCP servers, tools that change files or run commands, and tools that declare nothing. */
const asksByDefault = (facts: DeclaredFacts | undefined): boolean =>
  facts?.asks === true || facts?.server !== undefined || canReach(facts, "files", "commands");
