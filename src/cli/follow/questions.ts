// What a followed tree asks of people, one question after the other. The journals go on being read meanwhile: what
// somebody else decides takes the question away.

import { type CadreClient, isUnreachable } from "../../api/client/client.ts";
import type { ApprovalView, RunSummary } from "../../api/client/types.ts";
import { httpStatus, toCadreError } from "../../errors.ts";
import { type JournalEvent, TERMINAL_TYPES } from "../../journal/events.ts";
import { hasEnded, type LiveTree } from "../view/live/live-tree.ts";
import type { Screen } from "../view/screen.ts";
import { allNodes } from "../view/text/branches.ts";
import { askAboutItem, type PromptContext } from "./ask-person.ts";

/** Who answers for the people: somebody at the terminal, `--yes` for calls to approve, or nobody. */
export type Answerer =
  | { type: "person"; desk: Pick<PromptContext, "screen" | "keys" | "env"> }
  | { type: "yes" }
  | { type: "nobody" };

/** Why nothing of a tree goes on. */
export interface Blockage {
  items: ApprovalView[];
  /** Runs that no answer to an item lets go on: paused, set aside. */
  pausedRuns: RunSummary[];
}

export interface Questions {
  /** Aborted when asking has failed, or the person has left what there is and nothing else goes on: see `outcome`. */
  readonly ended: AbortSignal;
  /** Undefined: something goes on, or somebody is being asked. */
  check(): Promise<Blockage | undefined>;
  event(event: JournalEvent): void;
  /** What came of it: throws where asking has failed. */
  outcome(): Promise<Blockage | undefined>;
  close(): void;
}

interface Circumstances {
  tree: LiveTree;
  company: Answerer;
  leaving: AbortSignal;
}

export function createQuestions(
  client: CadreClient,
  runId: string,
  { tree, company, leaving }: Circumstances,
): Questions {
  const ended = new AbortController();
  const closed = new AbortController();
  const over = AbortSignal.any([leaving, closed.signal]);
  const question = createQuestion(over);
  const said = new Set<string>();
  /** What the person does not want to answer now, as it was asked. */
  const skipped = new Set<string>();
  let failure: unknown;
  /** Undefined: nobody is being asked. `news`: something opened since we last looked. */
  let asking: { news: boolean } | undefined;

  async function askAll(desk: PromptContext, current: { news: boolean }): Promise<void> {
    while (!over.aborted) {
      current.news = false;
      const item = (await client.approvals({ runId })).find((open) => !skipped.has(asAsked(open)));
      if (item && !(await question.ask(item, desk))) skipped.add(asAsked(item));
      else if (!item && !current.news) {
        asking = undefined;
        if (skipped.size > 0 && !goesOn(tree)) ended.abort();
        return;
      }
    }
  }

  function beginAsking({ desk }: Extract<Answerer, { type: "person" }>): void {
    asking = { news: false };
    const more = (): number => openItems(tree) - 1;
    void askAll(
      { ...desk, client, othersWaiting: more, askerOf: (item) => whoAsks(tree, item) },
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
        // What opens while somebody is being asked is asked next.
        if (asking) asking.news = true;
        else if (company.type === "person") beginAsking(company);
        else if (company.type === "yes") await sayYes(client, runId, said);
      }
      if (asking || goesOn(tree)) return undefined;
      const stuck = await stuckIn(client, runId);
      // Asked since we last said yes: its event is still to be read, and then it is looked at again.
      const isNews =
        company.type === "yes" && stuck?.items.some((item) => isCall(item) && !said.has(item.id));
      return isNews ? undefined : stuck;
    },
    event: question.event,
    async outcome() {
      if (failure !== undefined) throw failure;
      return ended.signal.aborted ? stuckIn(client, runId) : undefined;
    },
    close: () => closed.abort(),
  };
}

const asAsked = ({ id, round }: ApprovalView): string => `${id}/${round}`;

function openItems({ runs }: LiveTree): number {
  return [...runs.values()].reduce((sum, { open }) => sum + open.size, 0);
}

/** The names as the drawing of the tree has them, and what the run was asked to do. */
function whoAsks({ runs }: LiveTree, { runId, path }: ApprovalView) {
  const run = runs.get(runId);
  return { path: run?.path ?? path, task: run?.state.start?.task };
}

/** As far as the journals were read: some run is not waiting for a person. What is cancelled waits for nobody. */
const goesOn = ({ runs }: LiveTree): boolean =>
  [...runs.values()].some((run) => !hasEnded(run) && (run.state.status !== "suspended" || run.state.cancel));

/** As it stands now, which may be further than was read: then more is to come. */
async function stuckIn(client: CadreClient, runId: string): Promise<Blockage | undefined> {
  const [items, tree] = await Promise.all([client.approvals({ runId }), client.tree(runId)]);
  const live = allNodes(tree).filter(({ endedAt }) => endedAt === undefined);
  if (live.length === 0 || live.some(({ status }) => status !== "suspended")) return undefined;
  const held = live.filter(({ waitingOn }) => !ANSWERABLE.has(waitingOn?.kind ?? ""));
  return items.length + held.length === 0 ? undefined : { items, pausedRuns: held };
}

/** Kinds of waiting that are ended by answering items, here or below; the others take a command of their own. */
const ANSWERABLE: ReadonlySet<string> = new Set([
  "approval",
  "child_hitl",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
]);

/** After these there is nothing left to ask. */
const WITHDRAWS: ReadonlySet<string> = new Set(["RUN_RESUMED", "CANCEL_REQUESTED", ...TERMINAL_TYPES]);

/** One question at a time, which can be taken away. */
function createQuestion(over: AbortSignal) {
  let open: { item: ApprovalView; withdraw: AbortController; screen: Screen } | undefined;
  return {
    /** False: it was left as it is. */
    async ask(item: ApprovalView, desk: PromptContext): Promise<boolean> {
      const withdraw = new AbortController();
      const away = AbortSignal.any([over, withdraw.signal]);
      open = { item, withdraw, screen: desk.screen };
      try {
        return await askAboutItem(item, desk, away);
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

/** Approves calls, and nothing else: what became of a call or of a budget is for people to say. */
async function sayYes(client: CadreClient, runId: string, said: Set<string>): Promise<void> {
  const items = await client.approvals({ runId });
  for (const { id } of items.filter((item) => isCall(item) && !said.has(item.id))) {
    said.add(id);
    try {
      await client.decide(id, { decision: "approve", note: "--yes" });
    } catch (error) {
      // Somebody was faster, or it is to be asked anew: the run's next event says which.
      if (isUnreachable(error) || httpStatus(toCadreError(error).code) !== 409) throw error;
    }
  }
}
