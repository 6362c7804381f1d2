// The exact request of a recorded model call. It is built again from the journal, by the code that built it the first time.
// The journal keeps a fingerprint of each prompt, so a difference is noticed: a tool of a server, for example, can have changed since.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { CadreError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { EventOf, JournalEvent, Payload, PromptPrefix } from "../../journal/events.ts";
import type { Usage } from "../../journal/message.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { applyRunState } from "../../projections/folds/run-state.ts";
import { applyTranscript } from "../../projections/folds/transcript.ts";
import type { RunView } from "../drive/decide-turn.ts";
import { loadDefinition } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";
import { emptyView } from "../replay/replay.ts";
import { callOptions, promptPrefix, type RequestParts, summaryOf } from "./call-model.ts";

/** The parts of a prompt in the order in which providers cache them. */
const PARTS = ["tools", "system", "messages"] as const;
type PromptPart = (typeof PARTS)[number];

export interface SentRequest {
  /** `seq` of the event that began the call. */
  seq: number;
  model: string;
  purpose: string;
  attempt: number;
  system: string;
  tools: { name: string; description?: string; inputSchema: unknown }[];
  /** The tool that the model must call, or `none`. Absent if the model may choose. */
  toolChoice?: string;
  /** Contents of files are replaced by their sizes. */
  messages: { role: "user" | "assistant" | "tool"; content: { type: string }[] }[];
  settings: { temperature?: number; maxOutputTokens?: number; reasoning?: unknown };
  /** Parts that differ from what was sent. Absent if the journal has no fingerprint, as for scripted models. */
  differs?: PromptPart[];
  /** The first part that the provider could not read from its cache, because it differs from the run's previous prompt. */
  brokeCache?: NonNullable<PromptPrefix["broke"]>;
  /** The tokens of the answer. Absent if the call has no answer. */
  usage?: Usage;
}

type SentParts = RequestParts & Pick<LoopParts, "digest" | "store">;

/** `seq` is the event that began the call, or its outcome. */
export async function sentRequest(runId: RunId, seq: number, parts: SentParts): Promise<SentRequest> {
  const events = await parts.store.journal.read(runId);
  const begun = beginningOf(events, seq);
  if (!begun) throw new CadreError("NOT_FOUND", `Event ${seq} of run ${runId} is not a model call.`);
  const outcome = outcomeOf(events, begun);
  const view = await viewAt(events, begun.seq, parts);
  const { model, attempt = 1, purpose = "turn", maxOutputTokens, shortenedBy } = begun.payload;
  const call = { model, attempt, purpose };
  const summary = purpose === "summary" ? summaryOf(view, parts) : undefined;
  const allowed = omitUndefined({ maxOutputTokens, shortenedBy });
  const sent = await callOptions(call, allowed, view, parts, undefined, summary);
  const prefix = outcome?.type === "AGENT_THOUGHT" ? outcome.payload.prefix : undefined;
  return {
    seq: begun.seq,
    ...call,
    ...shownRequest(sent),
    ...omitUndefined({
      differs: prefix && differences(prefix, promptPrefix(call, sent, view, parts)),
      brokeCache: prefix?.broke,
      usage: outcome?.payload.usage,
    }),
  };
}

type Begun = EventOf<"MODEL_CALL_STARTED">;
type Outcome = EventOf<"AGENT_THOUGHT"> | EventOf<"MODEL_CALL_FAILED">;

const isSameCall = (a: Payload<"MODEL_CALL_STARTED">, b: Outcome["payload"]): boolean =>
  a.callId === b.callId && (a.attempt ?? 1) === (b.attempt ?? 1);

const isOutcome = (event: JournalEvent | undefined): event is Outcome =>
  event?.type === "AGENT_THOUGHT" || event?.type === "MODEL_CALL_FAILED";

function beginningOf(events: readonly JournalEvent[], seq: number): Begun | undefined {
  const event = events.find((each) => each.seq === seq);
  if (event?.type === "MODEL_CALL_STARTED") return event;
  if (!isOutcome(event)) return undefined;
  return events.findLast(
    (each): each is Begun => each.type === "MODEL_CALL_STARTED" && isSameCall(each.payload, event.payload),
  );
}

const outcomeOf = (events: readonly JournalEvent[], { payload }: Begun): Outcome | undefined =>
  events.filter(isOutcome).find((event) => isSameCall(payload, event.payload));

/** The run as it was when the request was built: with the event that began the call, and nothing after it. */
async function viewAt(events: readonly JournalEvent[], seq: number, parts: SentParts): Promise<RunView> {
  const { payload } = events[0] as EventOf<"RUN_STARTED">;
  const view = await emptyView(payload, await loadDefinition(parts.store, payload.definition), parts);
  for (const event of events) {
    if (event.seq > seq) break;
    applyRunState(view.state, event);
    applyTranscript(view.transcript, event);
  }
  return view;
}

function shownRequest(sent: LanguageModelV4CallOptions) {
  const { prompt, tools = [], toolChoice, temperature, maxOutputTokens, providerOptions } = sent;
  const [system, ...messages] = prompt;
  return {
    system: system?.role === "system" ? system.content : "",
    tools: tools.flatMap((tool) =>
      tool.type === "function"
        ? [
            {
              name: tool.name,
              inputSchema: tool.inputSchema,
              ...omitUndefined({ description: tool.description }),
            },
          ]
        : [],
    ),
    messages: withoutBytes(messages) as SentRequest["messages"],
    settings: omitUndefined({
      temperature,
      maxOutputTokens,
      reasoning: providerOptions?.["cadre"]?.["reasoning"],
    }),
    ...omitUndefined({ toolChoice: toolChoice?.type === "tool" ? toolChoice.toolName : toolChoice?.type }),
  };
}

/** A copy in which the contents of files are replaced by their sizes. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: value.length };
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutBytes(inner)]));
}

const differences = (before: PromptPrefix, now: PromptPrefix): PromptPart[] =>
  PARTS.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(now[part]));
