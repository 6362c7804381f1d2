// Turns an external agent's updates into reports for the loop: its messages, calls, plan and permission requests.
// Updates can be odd: they can concern unknown calls, have unknown kinds, or be far too many.

import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ReportQueue } from "./report-queue.ts";
import { toAcpCall, type Update } from "./session-update.ts";
import { type AcpCall, type TranslateOptions, translateCall } from "./translate-call.ts";

/** Maximum length of one message, and maximum number of calls in one session. Longer text is cut off, and further calls are dropped. */
const MAX_TEXT = 500_000;
const MAX_CALLS = 5_000;
/** Delay before a call is reported, because some programs report a call as in progress before they ask for permission. */
const ASKING_MS = 2_000;

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

interface Ask {
  call: string;
  request: RequestPermissionRequest;
  answer(response: RequestPermissionResponse): void;
}

export class SessionReports {
  /** Permission requests that are not answered yet. */
  readonly asks = new Map<number, Ask>();
  /** Receives pieces of text as they stream. */
  onText: (piece: string) => void = () => {};

  private readonly line: ReportQueue;
  private readonly as: TranslateOptions;
  private readonly known = new Map<string, AcpCall>();
  private readonly begun = new Set<string>();
  /** Calls in progress that are not reported yet, because the program might still ask for permission. */
  private readonly delayed = new Map<string, NodeJS.Timeout>();
  /** Cost that the program reported, in dollars: the session's total, and the part that the loop has already counted. */
  private spent: { total: number; counted: number } | undefined;
  private asked = 0;
  private text = "";

  constructor(line: ReportQueue, as: TranslateOptions) {
    this.line = line;
    this.as = as;
  }

  update(told: Update | undefined): void {
    this.line.noteActivity();
    switch (told?.sessionUpdate) {
      case "agent_message_chunk":
        this.addText(told.content.text);
        break;
      case "tool_call":
      case "tool_call_update":
        this.trackCall(toAcpCall(told));
        break;
      case "plan":
        this.line.push({ type: "plan", todos: told.entries });
        break;
      case "usage_update":
        this.trackCost(told.cost);
        break;
      default:
    }
  }

  permission(request: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    const call = this.mergeUpdate(request.toolCall);
    if (!call) return Promise.resolve(CANCELLED);
    this.cancelDelay(call.toolCallId);
    const ask = ++this.asked;
    const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
    const answer: Ask["answer"] = (response) => {
      this.asks.delete(ask);
      resolve(response);
    };
    this.asks.set(ask, { call: call.toolCallId, request, answer });
    withdrawn.addEventListener("abort", () => answer(CANCELLED), { once: true });
    this.endMessage();
    const once = optionOf(request, "allow_once") !== undefined;
    const pending = translateCall({ ...call, status: "pending" }, this.as);
    this.line.push({ type: "asked", ask, call: pending, once });
    return promise;
  }

  /** Reports all delayed calls when the work ends, because the program did not ask for permission for them. */
  flushDelayedCalls(): void {
    for (const id of this.delayed.keys()) this.reportCall(id);
  }

  /** Returns and clears the text that arrived since the last message. When the work ends, this text is the answer. */
  takeText(): string {
    const words = this.text.trim();
    this.text = "";
    return words;
  }

  cost(): number | undefined {
    return this.spent && this.spent.total - this.spent.counted;
  }

  takeCost(): number | undefined {
    const cost = this.cost();
    if (this.spent) this.spent.counted = this.spent.total;
    return cost;
  }

  private trackCost({ amount: total, currency }: { amount: number; currency: string }): void {
    if (currency !== "USD") return;
    const isMore = total > (this.spent?.total ?? 0);
    this.spent = { counted: 0, ...this.spent, total };
    if (isMore) this.line.push({ type: "spent" });
  }

  private addText(piece: string): void {
    if (this.text.length > MAX_TEXT) return;
    this.text += piece;
    this.onText(piece);
  }

  private endMessage(): void {
    const text = this.takeText();
    if (text !== "") this.line.push({ type: "message", text });
  }

  private trackCall(update: AcpCall): void {
    const { toolCallId: id } = update;
    const before = this.known.get(id);
    const now = this.mergeUpdate(update);
    if (!now || isOver(before)) return;
    if (isOver(now)) this.reportCall(id);
    if (now.status !== "in_progress" || this.begun.has(id)) return;
    this.begun.add(id);
    this.endMessage();
    const timer = setTimeout(() => this.reportCall(id), ASKING_MS);
    this.delayed.set(id, timer);
  }

  private reportCall(id: string): void {
    this.cancelDelay(id);
    this.endMessage();
    this.line.push({ type: "call", call: translateCall(this.known.get(id)!, this.as) });
  }

  private cancelDelay(id: string): void {
    clearTimeout(this.delayed.get(id));
    this.delayed.delete(id);
  }

  /** Merges an update into a call. An update contains only changed fields. */
  private mergeUpdate(update: AcpCall): AcpCall | undefined {
    const before = this.known.get(update.toolCallId);
    if (!before && this.known.size >= MAX_CALLS) return undefined;
    const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const now = { ...before, ...Object.fromEntries(given) } as AcpCall;
    if (update.printed) now.printed = ((before?.printed ?? "") + update.printed).slice(0, MAX_TEXT);
    // The content of a pending call is its plan. If the call ends without new content, the plan is removed, because it is not a result.
    if (isOver(now) && before?.status === "pending" && !update.content)
      now.content = (before.content ?? []).filter(({ type }) => type !== "content");
    this.known.set(update.toolCallId, now);
    return now;
  }
}

const isOver = (call: AcpCall | undefined): boolean =>
  call?.status === "completed" || call?.status === "failed";

/** Finds an option by its kind, because the order of options means nothing. Only options that apply to a single call are ever chosen. */
export const optionOf = (
  { options }: RequestPermissionRequest,
  kind: "allow_once" | "reject_once",
): string | undefined => options.find((option) => option.kind === kind)?.optionId;
