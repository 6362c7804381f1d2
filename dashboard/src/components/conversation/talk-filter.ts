// S4-62: filters the messages of a conversation by kind and by text.

import type {
  Answer,
  ConversationActivity,
  IncomingMessage,
} from "../../../../src/projections/views/conversation.ts";

export const TALK_KINDS = ["all", "words", "tools", "children", "notes", "failures"] as const;
export type TalkKind = (typeof TALK_KINDS)[number];

export interface TalkFilter {
  kind: TalkKind;
  text: string;
}

export const NO_FILTER: TalkFilter = { kind: "all", text: "" };

export const isFiltered = ({ kind, text }: TalkFilter): boolean => kind !== "all" || text !== "";

export function matchesActivity(activity: ConversationActivity, filter: TalkFilter): boolean {
  return fitsKind(activity, filter.kind) && fitsText(wordsOf(activity), filter.text);
}

export const matchesIncoming = ({ text }: IncomingMessage, filter: TalkFilter): boolean =>
  (filter.kind === "all" || filter.kind === "words") && fitsText(text, filter.text);

export function matchesFinalText({ text, end }: Answer, filter: TalkFilter): boolean {
  if (text === undefined) return false;
  const isFailure = end !== undefined && end.result.status !== "completed";
  const fits = filter.kind === "all" || filter.kind === "words" || (filter.kind === "failures" && isFailure);
  return fits && fitsText(text, filter.text);
}

function fitsKind(activity: ConversationActivity, kind: TalkKind): boolean {
  switch (kind) {
    case "all":
      return true;
    case "words":
      return activity.kind === "thought";
    case "tools":
      return activity.kind === "call";
    case "children":
      return activity.kind === "child";
    case "notes":
      return activity.kind === "note";
    case "failures":
      return (
        (activity.kind === "note" && activity.tone === "bad") ||
        (activity.kind === "call" && FAILED.has(activity.state))
      );
  }
}

const FAILED: ReadonlySet<string> = new Set(["error", "denied", "stale", "unknown"]);

const fitsText = (words: string, text: string): boolean => words.toLowerCase().includes(text.toLowerCase());

function wordsOf(activity: ConversationActivity): string {
  switch (activity.kind) {
    case "thought":
      return `${activity.text} ${activity.reasoning}`;
    case "call":
      return `${activity.words} ${JSON.stringify(activity.input) ?? ""} ${outputOf(activity.result?.output)}`;
    case "child":
      return `${activity.agent} ${activity.task}`;
    case "note":
      return `${activity.text} ${activity.detail ?? ""}`;
  }
}

const outputOf = (output: unknown): string =>
  typeof output === "string" ? output : (JSON.stringify(output) ?? "");
