// With `extends`, an agent inherits the keys of another agent, which is called its base.
// The agent's own keys override the keys of its base. The base's `ask` and `deny` rules still apply.
// Limits are merged one by one. A verb in `policy` is allowed only if both the agent and its base allow it.

import { Names } from "../../config/names.ts";
import { hasErrors, suggestWord } from "../../config/problem.ts";
import type { Data, Path } from "../../config/yaml.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type Draft, keyPath, withError } from "../files/draft.ts";
import { isMapping } from "../files/parse.ts";
import { canonicalKey } from "../frontmatter.ts";
import { createNameResolver } from "./names.ts";

/** Returns the same drafts with inherited keys. A draft without a usable base is broken, because the base's deny rules are unknown. */
export function applyExtends(drafts: ReadonlyMap<string, Draft>): Draft[] {
  const resolve = createNameResolver(drafts, titleOf);
  const done = new Map<Draft, Draft>();
  const complete = (draft: Draft, trail: readonly string[]): Draft => {
    const result = done.get(draft) ?? withBase(draft, [...trail, draft.name]);
    done.set(draft, result);
    return result;
  };
  const withBase = (draft: Draft, trail: readonly string[]): Draft => {
    const wanted = draft.keys["extends"];
    if (typeof wanted !== "string") return draft;
    const found = resolve(wanted, draft);
    if (!found) {
      const message = `names \`${wanted}\`, and there is no such agent`;
      return badBase(draft, "UNKNOWN_BASE", message, suggestWord(wanted, drafts.keys()));
    }
    if ("candidates" in found) {
      const message = `names \`${wanted}\`, which may be ${found.candidates.join(" or ")}`;
      return badBase(draft, "AMBIGUOUS_AGENT", message);
    }
    const { name } = found.agent;
    if (trail.includes(name)) {
      const circle = [...trail.slice(trail.indexOf(name)), name].join(" → ");
      return badBase(draft, "EXTENDS_CYCLE", `forms a cycle: ${circle}`);
    }
    const base = complete(found.agent, trail);
    return hasErrors(base.problems) ? withBrokenBase(draft, base) : mergeDrafts(base, draft);
  };
  return [...drafts.values()].map((draft) => complete(draft, []));
}

function titleOf({ keys }: Draft): string | undefined {
  const title = keys["title"] ?? keys["name"];
  return typeof title === "string" ? title : undefined;
}

const badBase = (draft: Draft, code: string, message: string, more: { suggestion?: string } = {}): Draft =>
  withError(draft, "extends", { code, message: `\`extends\` ${message}`, ...more });

function withBrokenBase(draft: Draft, base: Draft): Draft {
  const { file, line, column } = base.problems.find(({ severity }) => severity === "error")!;
  const place = `${file}:${line}:${column}`;
  return badBase(draft, "BROKEN_BASE", `names \`${base.name}\`, which cannot be used: mend ${place}`);
}

/** Keys that are never inherited. */
const OWN = new Set(["name", "title", "extends", "dialect", "schedule"]);

function mergeDrafts(base: Draft, draft: Draft): Draft {
  const below = canonicalKeys(base).keys;
  const own = canonicalKeys(draft);
  const keys = { ...own.keys };
  const from = { ...own.from };
  for (const [key, value] of Object.entries(below)) {
    if (OWN.has(key)) continue;
    if (keys[key] === undefined) from[key] = from["extends"] ?? ["extends"];
    keys[key] = keys[key] === undefined ? value : (NARROWING[key]?.(value, keys[key]) ?? keys[key]);
  }
  const steps = draft.steps ?? base.steps;
  return { ...draft, keys, from, body: draft.body || base.body, ...omitUndefined({ steps }) };
}

interface CanonicalKeys {
  keys: Record<string, Data>;
  from: Record<string, Path>;
}

/** Replaces aliases of keys, so that `disallowed_tools` in one file is merged with `disallowedTools` in the other file. */
function canonicalKeys(draft: Draft): CanonicalKeys {
  const spelt: CanonicalKeys = { keys: {}, from: { ...draft.from } };
  const limits: Record<string, Data> = {};
  for (const [written, value] of Object.entries(draft.keys)) {
    const key = canonicalKey(written);
    const path = keyPath(draft.from, written);
    if (key === "maxTurns" || key === "maxDuration") {
      limits[key] = value;
      spelt.from["limits"] ??= path;
    } else {
      spelt.keys[key] = value;
      spelt.from[key] = path;
    }
  }
  const given = spelt.keys["limits"];
  if (given === undefined ? Object.keys(limits).length > 0 : isMapping(given))
    spelt.keys["limits"] = { ...limits, ...canonicalLimits(given) };
  return spelt;
}

const canonicalLimits = (limits: Data | undefined): Record<string, Data> =>
  Object.fromEntries(Object.entries(limits ?? {}).map(([written, value]) => [canonicalKey(written), value]));

/** Merges a value of the base with the agent's own value. A value of the wrong type is reported later, when the keys are checked. */
const NARROWING: Readonly<Record<string, (base: Data, own: Data) => Data>> = {
  tools(base, own) {
    const [below, above] = [toolsMap(base), toolsMap(own)];
    if (!below || !above) return below ? own : base;
    const allow = above["allow"] ?? below["allow"];
    return { ...omitUndefined({ allow }), ...unionOfRules(below, above) };
  },
  disallowedTools: unionOfNames,
  permissions(base, own) {
    if (!isMapping(base) || !isMapping(own)) return isMapping(base) ? own : base;
    return { ...base, ...own, ...unionOfRules(base, own) };
  },
  limits: (base, own) => (isMapping(base) && isMapping(own) ? { ...base, ...own } : own),
  policy(base, own) {
    const [below, above] = [policyMap(base), policyMap(own)];
    const [few, many] = [above["verbs"], below["verbs"]];
    const verbs = Array.isArray(few) && Array.isArray(many) ? few.filter((verb) => many.includes(verb)) : few;
    return { ...below, ...above, ...omitUndefined({ verbs }) };
  },
};

function toolsMap(tools: Data): Record<string, Data> | undefined {
  if (tools === null || isMapping(tools)) return tools ?? {};
  const names = Names.safeParse(tools);
  return names.success ? { allow: names.data } : undefined;
}

const policyMap = (policy: Data): Record<string, Data> => (isMapping(policy) ? policy : { verbs: policy });

function unionOfRules(base: Record<string, Data>, own: Record<string, Data>): Record<string, Data> {
  return {
    ask: unionOfNames(base["ask"] ?? [], own["ask"] ?? []),
    deny: unionOfNames(base["deny"] ?? [], own["deny"] ?? []),
  };
}

function unionOfNames(base: Data, own: Data): Data {
  const [below, above] = [Names.safeParse(base), Names.safeParse(own)];
  if (!below.success || !above.success) return below.success ? own : base;
  return [...new Set([...below.data, ...above.data])];
}
