// Asks the person about the open items of a followed tree, one after the other.
// While a question is open, the journals are still read, so that a decision made elsewhere withdraws the question.

import { type CadreClient, isUnreachable } from "../../api/client/client.ts";
import type { ApprovalView, RunSummary } from "../../api/client/types.ts";
import { httpStatus, toCadreError } from "../../errors.ts";
import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { hasEnded, type LiveTree } from "../view/live/live-tree.ts";
import type { Screen } from "../view/screen.ts";
import { allNodes } from "../view/text/branches.ts";
import { askAboutItem, type PromptContext } from "./ask-person.ts";

/** The source of answers: a person at the terminal, `--yes` (which only approves calls), or none. */
export type Answerer =
  | { type: "person"; context: Pick<PromptContext, "screen" | "keys" | "env"> }
  | { type: "yes" }
  | { type: "nobody" };

/** The reason why no run of a tree can continue. */
export interface Blockage {
  items: ApprovalView[];
  /** Paused, frozen or quarantined runs. They need a command such as `resume`, not an answer. */
  pausedRuns: RunSummary[];
}

export interface Questions {
  /** Aborted if a question failed, or if the person skipped the questions and no run can continue. */
  readonly ended: AbortSignal;
  /** Returns why no run can continue. Returns undefined if a run can continue or a person is being asked. */
  check(): Promise<Blockage | undefined>;
  event(event: JournalEvent): void;
  /** The result, once `ended` is aborted. Throws if a question failed. */
  outcome(): Promise<Blockage | undefined>;
  close(): void;
}

interface Circumstances {
  tree: LiveTree;
  answerer: Answerer;
  leaving: AbortSignal;
}

export function createQuestions(
  client: CadreClient,
  runId: string,
  { tree, answerer, leaving }: Circumstances,
): Questions {
  const ended = new AbortController();
  const closed = new AbortController();
  const over = AbortSignal.any([leaving, closed.signal]);
  const question = createQuestion(over);
  const approved = new Set<string>();
  const isBehind = ({ id, seq }: RunSummary): boolean => (tree.runs.get(id)?.state.seq ?? 0) < seq;
  /** The items that the person skipped. Each key includes the round, so that a repeated question is shown again. */
  const skipped = new Set<string>();
  let failure: unknown;
  /** Defined while a person is being asked. `news` is true if an item was opened after the list of items was last read. */
  let asking: { news: boolean } | undefined;

  async function askAll(context: PromptContext, current: { news: boolean }): Promise<void> {
    while (!over.aborted) {
      current.news = false;
      const item = (await client.get("/api/approvals", { run: runId })).approvals.find(
        (open) => !skipped.has(roundKey(open)),
      );
      if (item && !(await question.ask(item, context))) skipped.add(roundKey(item));
      else if (!item && !current.news) {
        asking = undefined;
        if (skipped.size > 0 && !canContinue(tree)) ended.abort();
        return;
      }
    }
  }

  function beginAsking({ context }: Extract<Answerer, { type: "person" }>): void {
    asking = { news: false };
    const more = (): number => openItems(tree) - 1;
    void askAll(
      { ...context, client, othersWaiting: more, askerOf: (item) => askerOfItem(tree, item) },
      asking,
    ).catch((error: unknown) => {
      failure = error;
      ended.abort();
    });
  }

  return {
    ended: ended.signal,
    async check() {
      if (openItems(tree) > 0) {
        // If an item is opened while a question is shown, we ask about that item next.
        if (asking) asking.news = true;
        else if (answerer.type === "person") beginAsking(answerer);
        else if (answerer.type === "yes") await approveCalls(client, runId, approved);
      }
      if (asking || canContinue(tree)) return undefined;
      const stuck = await findBlockage(client, runId, isBehind);
      // True if a call was proposed after the last approval. The call's event will arrive soon and trigger the next check.
      const isNews =
        answerer.type === "yes" && stuck?.items.some((item) => isCall(item) && !approved.has(item.id));
      return isNews ? undefined : stuck;
    },
    event: question.event,
    async outcome() {
      if (failure !== undefined) throw failure;
      return ended.signal.aborted ? findBlockage(client, runId) : undefined;
    },
    close: () => closed.abort(),
  };
}

const roundKey = ({ id, round }: ApprovalView): string => `${id}/${round}`;

function openItems({ runs }: LiveTree): number {
  return [...runs.values()].reduce((sum, { open }) => sum + open.size, 0);
}

/** Returns the agents' names from the root to the run, as the tree shows them, and the run's task. */
function askerOfItem({ runs }: LiveTree, { runId, path }: ApprovalView) {
  const run = runs.get(runId);
  return { path: run?.path ?? path, task: run?.state.start?.task };
}

/** Whether some run can continue without a person, according to the events read so far. A cancelled run can always continue. */
const canContinue = ({ runs }: LiveTree): boolean =>
  [...runs.values()].some((run) => !hasEnded(run) && (run.state.status !== "suspended" || run.state.cancel));

/** Returns why no run can continue. Returns undefined if more events will arrive: some run can continue, or its last events were not read yet. */
async function findBlockage(
  client: CadreClient,
  runId: string,
  isBehind: (run: RunSummary) => boolean = () => false,
): Promise<Blockage | undefined> {
  const [items, tree] = await Promise.all([
    client.get("/api/approvals", { run: runId }).then(({ approvals }) => approvals),
    client.get("/api/runs/{id}/tree", { id: runId }),
  ]);
  const nodes = allNodes(tree);
  if (nodes.some(isBehind)) return undefined;
  const live = nodes.filter(({ endedAt }) => endedAt === undefined);
  if (live.length === 0 || live.some(({ status }) => status !== "suspended")) return undefined;
  const held = live.filter(({ waitingOn }) => !ANSWERABLE.has(waitingOn?.kind ?? ""));
  return items.length + held.length === 0 ? undefined : { items, pausedRuns: held };
}

/** Kinds of waiting that end when a person answers an item. Other kinds need a command such as `resume`. */
const ANSWERABLE: ReadonlySet<string> = new Set([
  "approval",
  "child_hitl",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
]);

/** Events that withdraw all open questions of a run. */
const WITHDRAWS: ReadonlySet<string> = new Set(["RUN_RESUMED", "CANCEL_REQUESTED", ...TERMINAL_TYPES]);

/** Holds the question that is shown now, and can withdraw it. */
function createQuestion(over: AbortSignal) {
  let open: { item: ApprovalView; withdraw: AbortController; screen: Screen } | undefined;
  return {
    /** Returns false if the person skipped the question. */
    async ask(item: ApprovalView, context: PromptContext): Promise<boolean> {
      const withdraw = new AbortController();
      const away = AbortSignal.any([over, withdraw.signal]);
      open = { item, withdraw, screen: context.screen };
      try {
        return await askAboutItem(item, context, away);
      } catch (error) {
        if (!away.aborted) throw error;
        return true;
      } finally {
        open = undefined;
      }
    },
    event({ runId, type, payload }: JournalEvent): void {
      if (!open) return;
      const answered =
        (type === "APPROVAL_DECIDED" && payload.itemId === open.item.itemId) ||
        (type === "OUTCOME_DECIDED" && payload.toolCallId === open.item.callId);
      if (runId === open.item.runId && (answered || WITHDRAWS.has(type))) open.withdraw.abort();
      else open.screen.redraw();
    },
  };
}

const isCall = ({ kind }: ApprovalView): boolean => kind === "tool";

/** Approves calls only. A person must decide about unknown outcomes and budgets. */
async function approveCalls(client: CadreClient, runId: string, approved: Set<string>): Promise<void> {
  const items = (await client.get("/api/approvals", { run: runId })).approvals;
  for (const { id } of items.filter((item) => isCall(item) && !approved.has(item.id))) {
    approved.add(id);
    try {
      await client.post("/api/approvals/{id}", {
        id,
        body: { decision: "approve", note: "--yes", automatic: true },
      });
    } catch (error) {
      // Another person decided the item, or the call must be proposed again. The run's next event shows which of the two happened.
      if (isUnreachable(error) || httpStatus(toCadreError(error).code) !== 409) throw error;
    }
  }
}
