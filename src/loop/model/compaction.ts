// Plans how to shorten a prompt that is too long. The plan is pure: `decide` and the summary call both use it.
//  1  Notes replace older tool results, if that makes enough room for many more turns. The agent can read the results again.
//     The thoughts that led to these results are left out too.
//     Clearing must be rare, because the provider's cache is useless afterwards.
//  2  Otherwise a summary replaces the older turns. The task, messages of people and the latest turns stay.
//  3  If the whole conversation does not fit into the summary call, only its older part is sent and summarised.
//  4  If no older part is worth a summary, the middle of the longest tool results is left out, only as far as needed.
//     If that is not enough, the oldest files are replaced by their names, and the middle of the longest other texts is left out.
//  5  If nothing else is left, a summary replaces older messages of people too.
//  6  Every plan removes something, so that a conversation always ends up short enough.

import {
  clearableResults,
  clearableThoughts,
  clippableLengths,
  filesInPrompt,
  filesLength,
  messageLength,
  type Placed,
  promptTokens,
  resultLength,
  type Transcript,
} from "../../projections/folds/transcript.ts";

/**
 * The latest turns stay unchanged, as long as they have at most this many tokens.
 * These turns also have at most this share of the space that instructions and tools leave in the window.
 */
const KEPT_TOKENS = 20_000;
const KEPT_SHARE = 0.1;

/** Results with at most this many characters are not cleared, because a note has about 150 characters. */
const SHORT_RESULT = 500;
const NOTE_LENGTH = 160;

/** Results are cleared only if that frees at least this share of the window. */
const CLEARED_SHARE = 0.2;
/** If the prompt would still fill more than this share of the window after clearing, Cadre makes a summary instead. Otherwise the window would soon be full again. */
const LEFT_SHARE = 1 / 3;

/** A summary is made only if it replaces at least this share of the window, and the prompt has grown by as much since the last summary. */
const WORTH_SHARE = 0.15;

/** A summary call may fill this share of the window with the conversation. The rest is for the summary itself. */
const SENT_SHARE = 0.9;

/** If the model has answered a prompt longer than the window, Cadre also tries a prompt that is longer by this factor. */
const GROWTH = 1.1;

/** Minimum number of characters to which a result, or another text, is clipped. */
const SHORTEST_RESULT = 400;
const SHORTEST_TEXT = 4_000;

/** `sent` is the number of messages in the summary call. `replaced` is the number of messages that the summary replaces. */
export interface SummaryPlan {
  sent: number;
  replaced: number;
  /** True if messages of people are replaced too. */
  people?: true;
}

export interface ClipPlan {
  results?: number;
  texts?: number;
  files?: { count: number; why: "too_long" };
  cleared?: { messages: number; longer: number; readable?: true; thoughts?: true };
}

export interface Room {
  /** Size of the model's context window in tokens. */
  window: number;
  /** True if Cadre does not know the model's window. */
  isAssumed: boolean;
  /** True if the provider said that the prompt is longer than the window, whatever the estimate says. */
  isRefused: boolean;
  /** Tokens of the latest prompt that the model has answered. Can be more than the window, if the window was set too small. */
  answered: number;
}

/**
 * Clears the results that are older than the latest turns. Undefined if that frees too little room, or leaves a long prompt.
 * `most` is the number of tokens that the prompt may have afterwards. `readable` is true if the agent can read saved results.
 */
export function planClear(
  transcript: Transcript,
  room: Room,
  { most = room.window * LEFT_SHARE, readable }: { most?: number; readable: boolean },
): ClipPlan | undefined {
  const tokens = tokenCounter(transcript, room);
  const messages = keptFrom(transcript.placed, tokens, room);
  const results = clearableResults(transcript, { messages, longer: SHORT_RESULT });
  const characters = results.reduce((sum, { result }) => sum + resultLength(result) - NOTE_LENGTH, 0);
  const thoughts = clearableThoughts(transcript, messages);
  const freed = (characters + thoughts) * tokens.perCharacter;
  if (results.length === 0 || freed < room.window * CLEARED_SHARE || tokens.total - freed > most)
    return undefined;
  return {
    cleared: {
      ...{ messages, longer: SHORT_RESULT },
      ...(readable ? { readable } : {}),
      ...(thoughts > 0 ? { thoughts: true } : {}),
    },
  };
}

/** Plans a summary. Undefined if no older part of the conversation is worth one. With `people`, messages of people may be replaced too. */
export function planSummary(transcript: Transcript, room: Room, people?: "people"): SummaryPlan | undefined {
  const { placed } = transcript;
  const tokens = tokenCounter(transcript, room);
  const { window } = room;
  const replaceable = keptFrom(placed, tokens, room);
  const isReplaced = (each: Placed): boolean =>
    (people !== undefined || !each.isKept) && each !== transcript.task;
  const more = people ? { people: true as const } : {};
  const isWorth = (replaced: number): boolean =>
    tokens.of(placed.slice(1, replaced).filter(isReplaced)) >= window * WORTH_SHARE;
  // Some providers' counts hardly depend on the conversation. A summary after each turn would not make them smaller.
  const hasGrown = room.isRefused || tokens.total - transcript.summarizedTo >= window * WORTH_SHARE;
  if (!hasGrown || !isWorth(replaceable)) return undefined;
  const isTooSmall = room.answered > window && !room.isRefused;
  const most = isTooSmall ? room.answered * GROWTH : window * SENT_SHARE;
  if (tokens.total <= most) return { sent: placed.length, replaced: replaceable, ...more };
  let sent = replaceable;
  while (sent > 0 && (tokens.fixed + tokens.of(placed.slice(0, sent)) > most || !isBoundary(placed, sent)))
    sent--;
  return isWorth(sent) ? { sent, replaced: sent, ...more } : undefined;
}

/** Plans how to clip the prompt to about `wanted` tokens. Undefined if nothing can be clipped, or nothing has to be. */
export function planClip(transcript: Transcript, room: Room, wanted: number): ClipPlan | undefined {
  const { placed } = transcript;
  const { total, perCharacter } = tokenCounter(transcript, room);
  const excess = (total - wanted) / perCharacter;
  if (excess <= 0) return undefined;
  const lengths = clippableLengths(placed);
  const results = longestAllowed(lengths.results, excess, SHORTEST_RESULT);
  const removed = removedBy(lengths.results, results);
  if (removed >= excess) return { results };
  const files = planFiles(placed, excess);
  if (files) return { files };
  const texts = longestAllowed(lengths.texts, excess - removed, SHORTEST_TEXT);
  if (removedBy(lengths.texts, texts) > 0) return { results, texts };
  return removed > 0 ? { results } : undefined;
}

/** Picks as many of the oldest files as the excess characters require, or all files if they are not enough. Undefined if there are none. */
function planFiles(placed: readonly Placed[], excess: number): ClipPlan["files"] {
  const files = filesInPrompt(placed);
  if (files.length === 0) return undefined;
  const enough = files.findIndex((_, index) => filesLength(files.slice(0, index + 1)) >= excess);
  return { count: enough < 0 ? files.length : enough + 1, why: "too_long" };
}

/** Index of the first message that is kept. A turn begins there, or the prompt ends there. The latest turn is always kept. */
function keptFrom(placed: readonly Placed[], tokens: TokenCounter, { window }: Room): number {
  const last = placed.findLastIndex(({ message }) => message.role === "assistant");
  if (last < 0) return placed.length;
  let from = last;
  let left = Math.min(KEPT_TOKENS, (window - tokens.fixed) * KEPT_SHARE) - tokens.of(placed.slice(last));
  for (let at = last - 1; at > 0; at--) {
    left -= tokens.of([placed[at]!]);
    if (left < 0) break;
    if (placed[at]!.message.role === "assistant") from = at;
  }
  return from;
}

/** True if the prompt can be split before the message `at` without splitting a turn. */
const isBoundary = (placed: readonly Placed[], at: number): boolean =>
  placed[at]?.message.role !== "tool" && placed[at - 1]?.message.role !== "assistant";

/** Maximum words of the agent's own summary, and maximum characters of the facts after it. Both are lower for a small window. */
export function summarySize({ window }: Pick<Room, "window">): { words: number; characters: number } {
  return {
    words: Math.round(Math.min(1_500, Math.max(100, window * 0.04)) / 10) * 10,
    characters: Math.round(Math.min(8_000, window * 0.16)),
  };
}

interface TokenCounter {
  total: number;
  /** Tokens of instructions and tools. */
  fixed: number;
  perCharacter: number;
  of(messages: readonly Placed[]): number;
}

/** Counts tokens. If the provider has counted the whole prompt, the counts are based on that number. */
function tokenCounter(transcript: Transcript, { window, isRefused }: Room): TokenCounter {
  const estimate = promptTokens(transcript);
  const total = isRefused ? Math.max(estimate, window + 1) : estimate;
  const fixed = Math.min(transcript.fixedTokens ?? 0, total / 2);
  const perCharacter = (total - fixed) / Math.max(1, transcript.characters);
  return {
    total,
    fixed,
    perCharacter,
    of: (messages) => messages.reduce((sum, { message }) => sum + messageLength(message), 0) * perCharacter,
  };
}

/** The largest maximum length at which clipping removes at least `excess` characters. It is never less than `shortest`. */
function longestAllowed(lengths: readonly number[], excess: number, shortest: number): number {
  const sorted = lengths.toSorted((a, b) => b - a);
  let above = 0;
  for (const [index, length] of sorted.entries()) {
    above += length;
    const allowed = Math.floor((above - excess) / (index + 1));
    const next = sorted[index + 1] ?? 0;
    if (allowed >= next) return Math.max(shortest, allowed);
  }
  return shortest;
}

const removedBy = (lengths: readonly number[], longest: number): number =>
  lengths.reduce((sum, length) => sum + Math.max(0, length - longest), 0);
