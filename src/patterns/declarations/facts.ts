// Facts about patterns for other parts of Cadre, read from the declarations.

import type { z } from "zod";
import type { AnyDeclaration, PatternDeclaration, Stage, TriggerDeclaration } from "./declaration.ts";
import { DECLARATIONS } from "./index.ts";

type Declaration = (typeof DECLARATIONS)[number];

export type PatternKey = Declaration["key"];
export type PatternTrigger = NonNullable<Declaration["trigger"]>["name"];

type NamingKey<D> =
  D extends PatternDeclaration<infer Key, infer _I, infer _P, infer _T, infer Fields>
    ? Fields extends readonly []
      ? never
      : Key
    : never;

/** The keys of an agent's file that can make the agent start another agent. */
export type EdgeKey = "agents" | NamingKey<Declaration>;

/** The keys of a definition that belong to patterns. */
export type PinnedPatterns = { [D in Declaration as D["key"]]?: z.output<D["pinned"]> | undefined };

export const ALL_PATTERNS: readonly AnyDeclaration[] = DECLARATIONS;

/** Schemas of the patterns' keys in agent files. */
export const inputSchemas = Object.fromEntries(ALL_PATTERNS.map(({ key, input }) => [key, input])) as {
  [D in Declaration as D["key"]]: D["input"];
};

/** Schemas of the patterns' keys in the pinned definition. */
export const pinnedSchemas = Object.fromEntries(
  ALL_PATTERNS.map(({ key, pinned }) => [key, pinned.optional()]),
) as { [D in Declaration as D["key"]]: z.ZodOptional<D["pinned"]> };

export const PATTERN_TRIGGERS = ALL_PATTERNS.flatMap(({ trigger }) =>
  trigger ? [trigger.name] : [],
) as readonly PatternTrigger[];

const RUN_ORDER: readonly Stage[] = ["before", "work", "route", "after"];

export const patternsInRunOrder: readonly AnyDeclaration[] = RUN_ORDER.flatMap((stage) =>
  ALL_PATTERNS.filter((pattern) => pattern.stage === stage),
);

const namingKeysAt = (...stages: Stage[]): string[] =>
  patternsInRunOrder
    .filter(({ agentFields, stage }) => agentFields.length > 0 && stages.includes(stage))
    .map(({ key }) => key);

/** Keys in the order in which a run uses them. `agents` comes after the patterns of the stages `before` and `work`. */
export const EDGE_KEYS = [
  ...namingKeysAt("before", "work"),
  "agents",
  ...namingKeysAt("route", "after"),
] as readonly EdgeKey[];

/** A pattern, and the value of its key in a definition. */
export interface UsedPattern {
  pattern: AnyDeclaration;
  own: unknown;
}

/** The patterns that a definition uses, in the order in which a run asks them. */
export function patternsIn(
  definition: PinnedPatterns,
  among: readonly AnyDeclaration[] = ALL_PATTERNS,
): UsedPattern[] {
  return among.flatMap((pattern) => {
    const own = definition[pattern.key as PatternKey];
    return own === undefined ? [] : [{ pattern, own }];
  });
}

/** The agents that a pattern names in a definition. */
export function namedBy({ pattern, own }: UsedPattern): string[] {
  const fields = own as Readonly<Record<string, string | readonly string[] | undefined>>;
  return pattern.agentFields.flatMap((field) => fields[field] ?? []);
}

/** The patterns by which another agent gives the answer in place of this agent. */
export const givingAnswerAway = (definition: PinnedPatterns): UsedPattern[] =>
  patternsIn(definition).filter(({ pattern }) => pattern.answer === "target");

/** The declaration of a trigger. Undefined if no pattern starts children with this trigger. */
export const triggerOf = (name: string): TriggerDeclaration<string> | undefined =>
  ALL_PATTERNS.find(({ trigger }) => trigger?.name === name)?.trigger;

/** An agent's patterns can restrict the tools that it calls itself. Returns the strictest of these restrictions. */
export function ownToolsOf(definition: PinnedPatterns): AnyDeclaration["ownTools"] {
  const limits = patternsIn(definition).flatMap(({ pattern }) => pattern.ownTools ?? []);
  return limits.find(({ may }) => may === "none") ?? limits[0];
}

/** The definition without the keys of patterns, so that the agent works alone. */
export const withoutPatterns = <T extends PinnedPatterns>(definition: T): Omit<T, PatternKey> =>
  Object.fromEntries(
    Object.entries(definition).filter(([key]) => !ALL_PATTERNS.some((pattern) => pattern.key === key)),
  ) as Omit<T, PatternKey>;
