// Shows an approval with everything a person needs to decide.
// The view includes the call's origin, its effect, the runs that wait for the decision, and the latest events.
// The whole view is computed from the journals and the recorded input.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import { BlastRadius, POWERS } from "../../journal/blast-radius.ts";
import { type JournalEvent, payloads, RuleBasis } from "../../journal/events.ts";
import { type DeclaredFacts, reachOf } from "../../journal/tool-facts.ts";
import { grantRuleFor } from "../../loop/commands/decision-event.ts";
import { previewEdit } from "../../loop/commands/person-commands.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { CommandReading, explainCommand } from "../../permissions/shell/explain-command.ts";
import { APPROVAL_KINDS, type ApprovalItem, openItems } from "../../projections/folds/approvals.ts";
import { blockersOf } from "../../projections/folds/parent-events.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { runStateProjection } from "../../projections/folds/run-state.ts";
import { fold } from "../../projections/projection.ts";
import { timelineProjection } from "../../projections/views/timeline.ts";
import { SizedCache } from "../../sized-cache.ts";
import type { ApprovalRef, Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { namedObject, nameSchema } from "../routes/schemas.ts";
import { allRuns, unlessDamaged } from "./read-runs.ts";
import { totalUsage } from "./run-tree.ts";

/** The effect of a shell command. It is derived from the command itself, never from an agent's description. */
export const CommandView = nameSchema("CommandView", CommandReading);
export type CommandView = z.infer<typeof CommandView>;

const Spent = z.object({ cost: z.number(), unpriced: z.int() });

/** Origin of an open item, and the runs that wait for the decision. */
const Circumstances = z.object({
  /** The runs from the tree's root down to the run that needs the decision, with their tasks. */
  trail: z.array(z.object({ runId: z.string(), agent: z.string(), task: z.string() })),
  /** `runs` counts the runs that wait for the decision, including the item's own run. `root` tells whether the root also waits. */
  blocks: z.object({ runs: z.int(), root: z.boolean() }),
  spent: z.object({ run: Spent, tree: Spent }),
  /** The work that the run has done so far. */
  did: z.object({
    turns: z.int(),
    toolCalls: z.int(),
    files: z.array(z.object({ path: z.string(), change: z.enum(["created", "modified", "deleted"]) })),
  }),
  /** The last entries of the run's timeline before it needed the decision. */
  recent: z.array(
    z.object({ seq: z.int(), ts: z.number(), kind: z.string(), title: z.string(), tone: z.string() }),
  ),
});

/** The result of probing whether a call took effect. It is evidence for the person who decides. */
export const Probe = nameSchema("Probe", payloads.OUTCOME_PROBED.pick({ found: true, evidence: true }));
export type Probe = z.infer<typeof Probe>;

export const ApprovalView = namedObject("ApprovalView", {
  ...Circumstances.shape,
  id: z.string(),
  itemId: z.string(),
  kind: z.enum(APPROVAL_KINDS),
  runId: z.string(),
  rootRunId: z.string(),
  /** The agents from the tree's root down to the agent that needs the decision. */
  path: z.array(z.string()),
  agent: z.string(),
  callId: z.string().optional(),
  tool: z.string().optional(),
  /** Resources that the call could change or contact. The tool declares them. */
  reaches: z.array(z.enum([...POWERS, "runtime"])).optional(),
  /** The target of the call, and the input field that names the target. */
  target: z
    .object({
      kind: z.enum(["command", "path", "url", "name"]),
      field: z.string(),
      use: z.enum(["reads", "lists", "changes"]).optional(),
    })
    .optional(),
  /** The call's input. If the outcome of the call is unknown, this is the input that ran. */
  input: z.unknown().optional(),
  /** The person who changed the input of a call with an unknown outcome, before it ran. */
  editedBy: z.string().optional(),
  preview: z.string().optional(),
  /** The rule that requires the approval. If `basis` is absent, this is a permission rule. */
  rule: z.string().optional(),
  basis: RuleBasis.optional(),
  /** The reason why the permission check could not judge a shell command. */
  unjudged: z.string().optional(),
  /** A protected file that the call concerns. On a server with users, only an admin approves the call. */
  protected: z.string().optional(),
  hash: z.string().optional(),
  /** Fingerprint of the file when the preview was made. */
  fingerprint: z.string().optional(),
  host: z.string().optional(),
  pid: z.int().optional(),
  /** Latest probe of a call with an unknown outcome (PB1). */
  probe: Probe.extend({ by: z.string(), at: z.number() }).optional(),
  detail: z.string().optional(),
  /** The budget limit that was reached. `tree.maxTokens` is the limit of the whole tree. */
  limit: z.string().optional(),
  limitValue: z.number().optional(),
  choices: z.array(z.string()).optional(),
  /** Sources of the untrusted text that the run has read. */
  untrusted: z.array(z.string()).optional(),
  /** The person who was most recently asked by name to decide. */
  asked: z
    .object({ person: z.string(), by: z.string(), note: z.string().optional(), at: z.number() })
    .optional(),
  round: z.int(),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  /** The rule that an approval with a scope wider than `once` would grant. Absent if only `once` is possible. */
  grant: z.string().optional(),
  /** The effect of the command. Present only for shell commands. */
  command: CommandView.optional(),
  /** Everything that the delegate could do at the time when the person was asked. Present only for delegations. */
  blastRadius: BlastRadius.optional(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** The preview of a call with an edited input, or the problem with that input. */
export const EditPreview = namedObject("EditPreview", {
  /** The reason why the call cannot be approved with this input. */
  problem: z.string().optional(),
  /** The invalid fields of the input, if they are known. */
  issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })),
  preview: z.string().optional(),
  fingerprint: z.string().optional(),
  /** The file's text before and after. Present if the call would change a file. */
  change: z
    .object({
      before: z.string(),
      after: z.string(),
      /** True if secrets in the texts are masked, so that the texts are not exact. */
      masked: z.literal(true).optional(),
    })
    .optional(),
  grant: z.string().optional(),
  command: CommandView.optional(),
});
export type EditPreview = z.infer<typeof EditPreview>;

const RECENT = 3;
/** Kinds of timeline entries that tell the person nothing new about a waiting run. */
const ASKING: ReadonlySet<string> = new Set(["approval", "wait", "model"]);

export async function approvalViews(
  { store, people }: Pick<ApiParts, "store" | "people">,
  refs: readonly ApprovalRef[],
): Promise<ApprovalView[]> {
  const runIds = [...new Set(refs.map((ref) => ref.runId))];
  const views = new Map<string, ApprovalView>();
  const trees = new Map<string, RunRow[]>();
  for (const runId of runIds) {
    const run = await readRun(store, runId);
    if (!run || run.items.length === 0) continue;
    const { root, workspace } = run;
    const tree = trees.get(root) ?? (await Array.fromAsync(allRuns(store, { root })));
    trees.set(root, tree);
    const around = circumstances(runId, tree, run);
    for (const item of run.items)
      views.set(`${runId}:${item.itemId}`, {
        ...item,
        ...around,
        ...(item.tool === undefined ? {} : declaredFacts(people.toolFacts(item.tool))),
        ...(item.kind === "tool" ? callDetails(item.tool, item.input, workspace, people) : {}),
      });
  }
  return refs.flatMap(({ runId, itemId }) => views.get(`${runId}:${itemId}`) ?? []);
}

/** The part of a view that depends on the run's journal alone. */
interface WaitingRun {
  root: RunId;
  workspace: string;
  items: ApprovalItem[];
  usage: RunRow["usage"];
  did: ApprovalView["did"];
  recent: ApprovalView["recent"];
}

/** Waiting runs by their id, with the hash of their last event. Pages ask for the whole inbox at every event, and a waiting run rarely changes. */
const known = new WeakMap<Store, SizedCache<RunId, { hash: string; run: WaitingRun }>>();
const MAX_KNOWN_CHARACTERS = 8_000_000;

/** Reads a run. If its journal is damaged, the run is quarantined, so that it does not hide the items of other runs. */
const readRun = (store: Store, runId: RunId): Promise<WaitingRun | undefined> =>
  unlessDamaged(
    async () => {
      const cache = known.get(store) ?? new SizedCache(MAX_KNOWN_CHARACTERS);
      known.set(store, cache);
      const row = await store.runs.get(runId);
      const seq = row?.seq ?? 0;
      const hash = (await store.journal.head(runId, seq))?.hash;
      const before = cache.get(runId);
      const isTrusted = row?.waitingOn?.kind !== "quarantine";
      if (before && before.hash === hash && isTrusted) return before.run;
      const events = await store.journal.read(runId, 0, seq);
      const run = waitingRun(events);
      if (hash !== undefined) cache.set(runId, { hash, run }, JSON.stringify(run).length);
      return run;
    },
    async ({ message: reason, details }) => {
      await store.leases.quarantine({ runId, reason, seq: details?.["seq"] as number | undefined });
      return undefined;
    },
  );

function waitingRun(events: readonly JournalEvent[]): WaitingRun {
  const state = fold(runStateProjection, events);
  const { entries } = fold(timelineProjection, events);
  const before = entries.filter(({ kind }) => !ASKING.has(kind)).slice(-RECENT);
  const { turns, usage, files } = state;
  const { rootRunId: root, workspace } = state.start!;
  return {
    root,
    workspace,
    items: openItems(state),
    usage,
    did: {
      turns,
      toolCalls: usage.toolCalls,
      files: [...files].map(([path, change]) => ({ path, change })),
    },
    recent: before.map(({ seq, ts, kind, title, tone }) => ({ seq, ts, kind, title, tone })),
  };
}

function circumstances(
  runId: RunId,
  tree: readonly RunRow[],
  { usage, did, recent }: WaitingRun,
): Pick<ApprovalView, "path" | "trail" | "blocks" | "spent" | "did" | "recent"> {
  const trail = trailOf(runId, tree);
  const blocked = tree.filter((row) => blockersOf(row).includes(runId));
  return {
    path: trail.map(({ agent }) => agent),
    trail: trail.map(({ id, agent, task }) => ({ runId: id, agent, task })),
    blocks: { runs: blocked.length, root: blocked.some(({ parentRunId }) => parentRunId === undefined) },
    spent: { run: spentOf(usage), tree: spentOf(totalUsage(tree)) },
    did,
    recent,
  };
}

function trailOf(runId: RunId, tree: readonly RunRow[]): RunRow[] {
  const rows = new Map(tree.map((row) => [row.id, row]));
  const trail: RunRow[] = [];
  for (let row = rows.get(runId); row; row = rows.get(row.parentRunId ?? "")) trail.unshift(row);
  return trail;
}

const spentOf = ({ cost, unpriced }: RunRow["usage"]) => ({ cost, unpriced });

const declaredFacts = (tool: DeclaredFacts | undefined): Pick<ApprovalView, "reaches" | "target"> =>
  omitUndefined({ reaches: [...reachOf(tool)], target: tool?.target });

/** Explains a shell command, and finds the rule that a grant would create. Uses only the call's input for this. */
function callDetails(
  tool: string | undefined,
  input: unknown,
  workspace: string,
  { grantFor, toolFacts }: Pick<ApiParts["people"], "grantFor" | "toolFacts">,
): { grant?: string; command?: CommandView } {
  const target = tool === undefined ? undefined : toolFacts(tool)?.target;
  const text =
    target?.kind === "command" ? (input as Record<string, unknown> | null)?.[target.field] : undefined;
  return omitUndefined({
    grant: grantRuleFor(tool, input, grantFor),
    command: typeof text === "string" ? explainOnce(text, workspace) : undefined,
  });
}

/** Cache by workspace and command. Pages reload the whole inbox at every event, and the explanation of a command never changes. */
const explained = new SizedCache<string, CommandView>(4_000_000);

function explainOnce(command: string, workspace: string): CommandView {
  const key = `${workspace}\0${command}`;
  const known = explained.get(key);
  if (known) return known;
  const reading = explainCommand(command, workspace);
  explained.set(key, reading, key.length + JSON.stringify(reading).length);
  return reading;
}

export async function editPreview(
  id: string,
  input: unknown,
  people: ApiParts["people"],
): Promise<EditPreview> {
  const { item, workspace, refused, preview } = await previewEdit(id, input, people);
  const { text, fingerprint, change } = preview ?? {};
  // The journal never contains secrets, but a file might.
  const masked = change !== undefined && !isDeepStrictEqual(people.mask.value(change), change);
  return people.mask.value({
    ...(refused ? { problem: refused.message } : callDetails(item.tool, input, workspace, people)),
    issues: issuesOf(refused).map(({ path, message }) => ({ path, message })),
    ...omitUndefined({
      preview: text,
      fingerprint,
      change: change && { ...change, ...(masked ? { masked } : {}) },
    }),
  });
}

const issuesOf = (refused: CadreError | undefined): EditPreview["issues"] =>
  (refused?.details?.["issues"] ?? []) as EditPreview["issues"];
