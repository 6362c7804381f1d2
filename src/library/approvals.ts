// Requests for a person's decision, as objects with methods. A program answers them, or passes them on to a person.

import { parseApprovalId, toolCallKey } from "../ids.ts";
import { type Decision, decideApproval, decideOutcome } from "../loop/commands/person-commands.ts";
import { type ApprovalItem, openItems } from "../projections/folds/approvals.ts";
import { runStateProjection } from "../projections/folds/run-state.ts";
import { fold } from "../projections/projection.ts";
import type { RuntimeAssembly } from "../runtime/assembly.ts";
import type { JournalScope } from "../stores/store.ts";

/** The person who decides, and their reason. The journal records both. */
export interface DecidedBy {
  /** Name of the person. Default: `program`. */
  by?: string;
  note?: string;
}

export interface Approved extends DecidedBy {
  /** The new limits of a budget that is used up. */
  limits?: { maxTokens?: number; maxCost?: number };
}

export type ApprovalRequest = Request & (AboutCall | AboutRun);

/** Asks for approval of a tool call (`tool`), or whether an interrupted call took effect (`outcome`). */
interface AboutCall {
  readonly kind: "tool" | "outcome";
  readonly callId: string;
  readonly tool: string;
  /** The idempotency key that the tool gets. After a crash, use it to look up whether the call took effect. */
  readonly key: string;
}

/** Asks for an answer to a question, for more budget, or whether a run that makes no progress goes on (`loop`). */
interface AboutRun {
  readonly kind: "question" | "budget" | "loop";
  readonly callId: string | undefined;
  readonly tool: undefined;
  readonly key: undefined;
}

interface Request {
  readonly id: string;
  /** The run that asks. It can be a run below the one whose handle you have. */
  readonly runId: string;
  readonly agent: string;
  readonly input: unknown;
  /** A diff, a command, or the tool's own text. */
  readonly preview: string | undefined;
  /** The question, or the reason for the request. */
  readonly detail: string | undefined;
  /** The answers to choose from, if the request is a question with choices. */
  readonly choices: readonly string[] | undefined;
  /** The untrusted sources whose text had already entered the run. */
  readonly untrusted: readonly string[];
  /** Allows the call, or lets the run go on. */
  approve(decided?: Approved): Promise<void>;
  /** Rejects the call. The agent reads the reason. */
  reject(reason?: string, decided?: Pick<DecidedBy, "by">): Promise<void>;
  /** Allows the call with another input. */
  edit(input: unknown, decided?: DecidedBy): Promise<void>;
  /** Answers a question. */
  answer(text: string, decided?: DecidedBy): Promise<void>;
  /** Says whether an interrupted call took effect: it `happened`, is to `run_again`, or counts as failed (`fail`). */
  settle(
    verdict: "happened" | "run_again" | "fail",
    settled?: DecidedBy & { output?: string },
  ): Promise<void>;
}

/**
 * The open requests of one run, or of a whole tree.
 * @internal
 */
export async function openRequests(
  scope: JournalScope,
  assembly: RuntimeAssembly,
): Promise<ApprovalRequest[]> {
  const refs = await assembly.store.inbox.openItems(scope);
  const byRun = Map.groupBy(refs, ({ runId }) => runId);
  const found = await Promise.all(
    [...byRun].map(async ([runId, open]) => {
      const ids = new Set(open.map(({ itemId }) => itemId));
      const items = openItems(fold(runStateProjection, await assembly.store.journal.read(runId)));
      return items.filter(({ itemId }) => ids.has(itemId));
    }),
  );
  return found.flat().map((item) => requestOf(item, assembly));
}

const PROGRAM = "program";

function subjectOf({ kind, runId, callId, tool }: ApprovalItem): AboutCall | AboutRun {
  if (kind !== "tool" && kind !== "outcome") return { kind, callId, tool: undefined, key: undefined };
  // The `callId` of an outcome names an attempt, such as `m3.0~2`. The key is the same for all attempts.
  const key = toolCallKey(runId, callId!.replace(/~\d+$/, ""));
  return { kind, callId: callId!, tool: tool!, key };
}

function requestOf(item: ApprovalItem, { people }: RuntimeAssembly): ApprovalRequest {
  const { id, runId, agent, input, preview, detail, choices, untrusted = [] } = item;
  const decide = async (decision: Decision, by = PROGRAM): Promise<void> => {
    await decideApproval(id, decision, by, people);
  };
  const noteOf = ({ note }: DecidedBy = {}): { note?: string } => (note === undefined ? {} : { note });
  return {
    ...{ ...subjectOf(item), id, runId, agent, input, preview, detail, choices, untrusted },
    approve: ({ by, limits, ...decided } = {}) =>
      decide({ decision: "approve", ...noteOf(decided), ...(limits === undefined ? {} : { limits }) }, by),
    reject: (reason, decided) =>
      decide({ decision: "reject", ...(reason === undefined ? {} : { note: reason }) }, decided?.by),
    edit: (edited, decided) => decide({ decision: "edit", input: edited, ...noteOf(decided) }, decided?.by),
    answer: (text, decided) => decide({ decision: "answer", answer: text, ...noteOf(decided) }, decided?.by),
    async settle(verdict, { by = PROGRAM, output, ...note } = {}) {
      const attempt = item.callId ?? parseApprovalId(id)!.itemId;
      await decideOutcome(
        runId,
        attempt,
        { verdict, ...noteOf(note), ...(output === undefined ? {} : { output }) },
        by,
        people,
      );
    },
  };
}
