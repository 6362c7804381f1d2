// Two runs side by side (FK7): node by node from the root down, each aligned by what its agent did, with what each cost and
// how long it took, and where they first differ. What a fork continues counts as its own words, not as its own cost.

import type { JournalEvent, RunStatus } from "../../journal/events.ts";
import { type CompareStep, compareSteps } from "../compare-steps.ts";
import { applyRunRow, initialRow } from "../folds/run-row.ts";
import { align } from "./align.ts";

/** The journals of a run and all below it. */
export interface ComparedTree {
  runId: string;
  /** What the run itself continues, before its own journal. */
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
  /** Model calls whose price nobody knows. */
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
  /** Where they first differ: places in `nodes` and in its `rows`. Absent: nowhere. */
  first?: { node: number; row: number };
  /** Of each tree as a whole. */
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

/** Answers with where the two first differ, in this node or below it. */
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
    // A child that both inherit is one and the same.
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

/** The same words and the same outcome; or an outcome that stands in for the other. */
function isSame({ a, b }: Sides<CompareStep>): boolean {
  if (!a || !b || a.key !== b.key) return false;
  return a.detail === b.detail || (a.resultAt !== undefined && a.resultAt === b.resultAt);
}

/** A result that stood in reads as the one that it is. */
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
