// What an external agent reports of its work, made into what the loop needs to know: whole messages, calls when they begin and when
// they are over, its plan, its questions. Everything that it sends may be odd: updates of calls that nobody has heard of, kinds that nobody
// knows, more than anybody wants to keep.

import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ReportQueue } from "./report-queue.ts";
import { toAcpCall, type Update } from "./session-update.ts";
import { type AcpCall, type TranslateOptions, translateCall } from "./translate-call.ts";

/** Of its words in one message, and of its calls in one session: what is beyond is not kept. */
const MAX_TEXT = 500_000;
const MAX_CALLS = 5_000;
/** Some say that a call is in progress, and only then ask whether it may be. */
const ASKING_MS = 2_000;

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

interface Ask {
  call: string;
  request: RequestPermissionRequest;
  answer(response: RequestPermissionResponse): void;
}

export class SessionReports {
  /** Questions that nobody has answered yet. */
  readonly asks = new Map<number, Ask>();
  /** Who watches hears its words as they come. */
  onText: (piece: string) => void = () => {};

  private readonly line: ReportQueue;
  private readonly as: TranslateOptions;
  private readonly known = new Map<string, AcpCall>();
  private readonly begun = new Set<string>();
  /** Calls that have begun and may yet be asked about. */
  private readonly held = new Map<string, NodeJS.Timeout>();
  /** Dollars, where it says so: all of the session, and how much of it was counted already. */
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
        this.heard(told.content.text);
        break;
      case "tool_call":
      case "tool_call_update":
        this.heardOfCall(toAcpCall(told));
        break;
      case "plan":
        this.line.push({ type: "plan", todos: told.entries });
        break;
      case "usage_update":
        this.heardOfCost(told.cost);
        break;
      default:
    }
  }

  permission(request: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    const call = this.laid(request.toolCall);
    if (!call) return Promise.resolve(CANCELLED);
    this.letGo(call.toolCallId);
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
    this.line.push({
      type: "asked",
      ask,
      call: translateCall({ ...call, status: "pending" }, this.as),
      once,
    });
    return promise;
  }

  /** Before the end is told: what has begun by then was not asked about. */
  flushDelayedCalls(): void {
    for (const id of this.held.keys()) this.tellCall(id);
  }

  /** What it said since the last message ended: at the end of its work, the answer. */
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

  private heardOfCost({ amount: total, currency }: { amount: number; currency: string }): void {
    if (currency !== "USD") return;
    const isMore = total > (this.spent?.total ?? 0);
    this.spent = { counted: 0, ...this.spent, total };
    if (isMore) this.line.push({ type: "spent" });
  }

  private heard(piece: string): void {
    if (this.text.length > MAX_TEXT) return;
    this.text += piece;
    this.onText(piece);
  }

  private endMessage(): void {
    const text = this.takeText();
    if (text !== "") this.line.push({ type: "message", text });
  }

  private heardOfCall(update: AcpCall): void {
    const { toolCallId: id } = update;
    const before = this.known.get(id);
    const now = this.laid(update);
    if (!now || isOver(before)) return;
    if (isOver(now)) this.tellCall(id);
    if (now.status !== "in_progress" || this.begun.has(id)) return;
    this.begun.add(id);
    this.endMessage();
    this.held.set(
      id,
      setTimeout(() => this.tellCall(id), ASKING_MS),
    );
  }

  private tellCall(id: string): void {
    this.letGo(id);
    this.endMessage();
    this.line.push({ type: "call", call: translateCall(this.known.get(id)!, this.as) });
  }

  private letGo(id: string): void {
    clearTimeout(this.held.get(id));
    this.held.delete(id);
  }

  /** An update says only what has changed. */
  private laid(update: AcpCall): AcpCall | undefined {
    const before = this.known.get(update.toolCallId);
    if (!before && this.known.size >= MAX_CALLS) return undefined;
    const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const now = { ...before, ...Object.fromEntries(given) } as AcpCall;
    if (update.printed) now.printed = ((before?.printed ?? "") + update.printed).slice(0, MAX_TEXT);
    // What it was said to be about before it began is not what came of it.
    if (isOver(now) && before?.status === "pending" && !update.content)
      now.content = (before.content ?? []).filter(({ type }) => type !== "content");
    this.known.set(update.toolCallId, now);
    return now;
  }
}

const isOver = (call: AcpCall | undefined): boolean =>
  call?.status === "completed" || call?.status === "failed";

/** By its kind: where an option stands in the list says nothing, and what would hold for longer is never chosen. */
export const optionOf = (
  { options }: RequestPermissionRequest,
  kind: "allow_once" | "reject_once",
): string | undefined => options.find((option) => option.kind === kind)?.optionId;
