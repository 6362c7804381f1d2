// What a followed run asks of people, one question after the other. The journal goes on being read meanwhile: what
// somebody else decides takes the question away.

import { type CadreClient, isUnreachable } from "../api/client.ts";
import type { ApprovalView } from "../api/schema.ts";
import { httpStatus, toCadreError } from "../errors.ts";
import { type EventType, type JournalEvent, TERMINAL_TYPES, type WaitingOn } from "../journal/events.ts";
import { askAbout, type Desk } from "./ask.ts";
import type { Screen } from "./view/screen.ts";

/** Who answers for the people: somebody at the terminal, `--yes` for calls to approve, or nobody. */
export type Company = { type: "person"; desk: Omit<Desk, "client"> } | { type: "yes" } | { type: "nobody" };

export interface Questions {
  /** Aborted when asking has failed; `throwIfFailed` then says why. */
  readonly failed: AbortSignal;
  /** The items that nobody here can answer; undefined: the run goes on, or somebody is being asked. */
  look(waitingOn: WaitingOn | undefined): Promise<ApprovalView[] | undefined>;
  event(event: JournalEvent): void;
  throwIfFailed(): void;
  close(): void;
}

export function createQuestions(
  client: CadreClient,
  runId: string,
  company: Company,
  leaving: AbortSignal,
): Questions {
  const failed = new AbortController();
  const closed = new AbortController();
  const over = AbortSignal.any([leaving, closed.signal]);
  const question = createQuestion(over);
  let failure: unknown;
  /** Undefined: nobody is being asked. `news`: something opened since we last looked. */
  let asking: { news: boolean } | undefined;

  async function askAll(desk: Desk, first: ApprovalView[], current: { news: boolean }): Promise<void> {
    for (let items = first; !over.aborted; items = await client.approvals({ runId })) {
      if (items.length === 0 && !current.news) {
        asking = undefined;
        return;
      }
      current.news = false;
      if (items[0]) await question.ask(items[0], desk);
    }
  }

  return {
    failed: failed.signal,
    async look(waitingOn) {
      // What opens while somebody is being asked is asked next.
      if (asking) {
        asking.news = true;
        return undefined;
      }
      if (!ANSWERABLE.has(waitingOn?.kind ?? "")) return [];
      const items = await client.approvals({ runId });
      if (items.length === 0) return undefined;
      if (company.type !== "person") return company.type === "yes" ? sayYes(client, items) : items;
      asking = { news: false };
      void askAll({ ...company.desk, client }, items, asking).catch((error: unknown) => {
        failure = error;
        failed.abort();
      });
      return undefined;
    },
    event: question.event,
    throwIfFailed() {
      if (failed.signal.aborted) throw failure;
    },
    close: () => closed.abort(),
  };
}

/** Kinds of waiting that are ended by answering items; the others take a command of their own. */
const ANSWERABLE: ReadonlySet<string> = new Set([
  "approval",
  "child_hitl",
  "question",
  "outcome_unknown",
  "budget",
  "loop",
]);

/** After these there is nothing left to ask. */
const WITHDRAWS: ReadonlySet<EventType> = new Set(["RUN_RESUMED", "CANCEL_REQUESTED", ...TERMINAL_TYPES]);

/** One question at a time, which can be taken away. */
function createQuestion(over: AbortSignal) {
  let open: { item: ApprovalView; withdraw: AbortController; screen: Screen } | undefined;
  return {
    async ask(item: ApprovalView, desk: Desk): Promise<void> {
      const withdraw = new AbortController();
      const away = AbortSignal.any([over, withdraw.signal]);
      open = { item, withdraw, screen: desk.screen };
      try {
        await askAbout(item, desk, away);
      } catch (error) {
        if (!away.aborted) throw error;
        desk.screen.line();
      } finally {
        open = undefined;
      }
    },
    event({ type, payload }: JournalEvent): void {
      if (!open) return;
      const answered =
        (type === "APPROVAL_DECIDED" && payload.itemId === open.item.itemId) ||
        (type === "OUTCOME_DECIDED" && payload.toolCallId === open.item.callId);
      if (answered || WITHDRAWS.has(type)) open.withdraw.abort();
      else open.screen.redraw();
    },
  };
}

/** Approves calls, and nothing else: what became of a call or of a budget is for people to say. */
async function sayYes(client: CadreClient, items: ApprovalView[]): Promise<ApprovalView[] | undefined> {
  if (items.some(({ kind }) => kind !== "tool")) return items;
  for (const { id } of items) {
    try {
      await client.decide(id, { decision: "approve", note: "--yes" });
    } catch (error) {
      // Somebody was faster, or it is to be asked anew: the run's next event says which.
      if (isUnreachable(error) || httpStatus(toCadreError(error).code) !== 409) throw error;
    }
  }
  return undefined;
}
