// Two runs side by side (FK7): run by run from the root down, aligned by what the agents did, with cost and duration, and the
// first difference. The history that a fork continues counts as its own steps, but not as its own cost.

import type { JournalEvent, RunStatus } from "../../journal/events.ts";
import { type CompareStep, compareSteps } from "../compare-steps.ts";
import { applyRunRow, initialRow } from "../folds/run-row.ts";
import { align } from "./align.ts";

/** The journals of a run and all runs below it. */
export interface ComparedTree {
  runId: string;
  /** Events of the run that it continues, which come before its own journal. */
  before: readonly JournalEvent[];
  runs: ReadonlyMap<string, readonly JournalEvent[]>;
}

export interface ComparedNode {
  agent: string;
  depth: number;
  a: NodeFacts | undefined;
  b: NodeFacts | undefined;
  rows: ComparedRow[];
}

export interface NodeFacts {
  runId: string;
  agent: string;
  status: RunStatus;
  turns: number;
  cost: number;
  /** Model calls with an unknown price. */
  unpriced: number;
  tokens: number;
  ms: number;
}

export interface ComparedRow {
  a: ComparedStep | undefined;
  b: ComparedStep | undefined;
  same: boolean;
}

export type ComparedStep = Omit<CompareStep, "key" | "resultAt">;

export interface Comparison {
  nodes: ComparedNode[];
  /** The first difference, as indexes of `nodes` and its `rows`. Absent: there is none. */
  first?: { node: number; row: number };
  /** Totals of each tree. */
  a: TreeFacts;
  b: TreeFacts;
}

export type TreeFacts = Omit<NodeFacts, "turns"> & { runs: number };

export function compareTrees(a: ComparedTree, b: ComparedTree): Comparison {
  const nodes: ComparedNode[] = [];
  const first = addNode({ a: a.runId, b: b.runId }, 0, { a, b, nodes });
  return { nodes, ...(first ? { first } : {}), a: treeFacts(a), b: treeFacts(b) };
}

interface Trees {
  a: ComparedTree;
  b: ComparedTree;
  nodes: ComparedNode[];
}

interface Sides<T> {
  a: T | undefined;
  b: T | undefined;
}

/** Adds a node and its children. Returns the first difference in it or below it. */
function addNode(ids: Sides<string>, depth: number, trees: Trees): Comparison["first"] {
  const [a, b] = [sideOf(ids.a, trees.a), sideOf(ids.b, trees.b)];
  const pairs = align(a?.steps ?? [], b?.steps ?? [], ({ key }) => key);
  const rows = pairs.map((pair) => ({ ...pair, same: isSame(pair) }));
  const agent = a?.facts.agent ?? b?.facts.agent ?? "";
  const node = trees.nodes.length;
  trees.nodes.push({
    agent,
    depth,
    a: a?.facts,
    b: b?.facts,
    rows: rows.map(shown),
  });
  let first: Comparison["first"];
  for (const [index, row] of rows.entries()) {
    const children = { a: row.a?.childId, b: row.b?.childId };
    // A child that both forks inherit is the same run.
    const isNew = children.a !== children.b;
    const below = isNew ? addNode(children, depth + 1, trees) : undefined;
    const isAlone = children.a === undefined || children.b === undefined;
    if (!first && !row.same) first = (isAlone ? undefined : below) ?? { node, row: index };
    else if (!first && !isAlone) first = below;
  }
  return first;
}

function sideOf(runId: string | undefined, { runId: top, before, runs }: ComparedTree) {
  const events = runId === undefined ? undefined : runs.get(runId);
  const facts = events && factsOf(events);
  if (!facts) return undefined;
  return { facts, steps: compareSteps(runId === top ? [...before, ...events] : events) };
}

/** The same step with the same outcome, or with one outcome recorded from the other. */
function isSame({ a, b }: Sides<CompareStep>): boolean {
  if (!a || !b || a.key !== b.key) return false;
  return a.detail === b.detail || (a.resultAt !== undefined && a.resultAt === b.resultAt);
}

/** A recorded result is shown with the detail of the original. */
function shown({ a, b, same }: Sides<CompareStep> & { same: boolean }): ComparedRow {
  const detail = same ? (a?.recorded ? b?.detail : a?.detail) : undefined;
  return { a: a && { ...stepShown(a), ...told(detail) }, b: b && { ...stepShown(b), ...told(detail) }, same };
}

const told = (detail: string | undefined) => (detail === undefined ? {} : { detail });

function stepShown(step: CompareStep): ComparedStep {
  const { key: _, resultAt: __, ...rest } = step;
  return rest;
}

function factsOf(events: readonly JournalEvent[]): NodeFacts | undefined {
  const [first, ...rest] = events;
  if (first?.type !== "RUN_STARTED") return undefined;
  const row = rest.reduce(applyRunRow, initialRow(first.runId, first.payload, first.ts));
  const { id: runId, agent, status, turns, usage, createdAt, updatedAt, endedAt } = row;
  const { cost, unpriced, input, output } = usage;
  const ms = (endedAt ?? updatedAt) - createdAt;
  return { runId, agent, status, turns, cost, unpriced, tokens: input + output, ms };
}

function treeFacts({ runId, runs }: ComparedTree): TreeFacts {
  const all = [...runs.values()].flatMap((events) => factsOf(events) ?? []);
  const { turns: _, ...top } = all.find((facts) => facts.runId === runId)!;
  const sum = (of: "cost" | "unpriced" | "tokens"): number =>
    all.reduce((total, facts) => total + facts[of], 0);
  return { ...top, cost: sum("cost"), unpriced: sum("unpriced"), tokens: sum("tokens"), runs: all.length };
}
