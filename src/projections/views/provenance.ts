// Finds the sources of each sentence in a run's answer.
// The search follows the answers of children down to the tool result, page or message with the same words.
//  PV1  A source is named only if it shares words with the sentence, and those words are shown.
//  PV2  If a child's answer shares words with the sentence, a source in the child's run must share some of these words.
//  PV3  The numbers of sentences and characters are limited. The parts that were not read are counted.

import type { EventOf, JournalEvent } from "../../journal/events.ts";
import { emptyTaint, isTainted, trackTaint } from "../folds/taint.ts";
import type { Journals } from "./causes.ts";
import { agentOfRun } from "./reasons.ts";
import { PHRASE_LENGTH, sentencesOf, type Trait, traitsOf, type Word, wordsOf } from "./sentences.ts";
import { describeCalls, type SourceText, sourceTexts } from "./source-texts.ts";

export interface ProvenanceStep {
  runId: string;
  seq: number;
  agent: string;
  what: string;
}

export interface Source {
  /** The path from the run's own event down to the event that contains the text. */
  path: ProvenanceStep[];
  kind: SourceText["kind"];
  /** The words that the sentence shares with the source. */
  shared: string[];
  /** The text around the shared words. */
  excerpt: string;
  /** Untrusted sources whose text is in the source. */
  untrusted: readonly string[];
}

export interface Provenance {
  sentences: { text: string; sources: Source[] }[];
  effects: TaintedEffect[];
  /** Numbers of sentences and sources that were not read, because a limit was reached. */
  unread: { sentences: number; sources: number };
  /** Number of source words that were compared. */
  work: number;
}

const MOST_SENTENCES = 200;
const LONGEST_SENTENCE = 1_000;
const MOST_CHARACTERS = 2_000_000;
const MOST_IN_ONE = 400_000;
const MOST_SOURCES = 3;
const EXCERPT = 120;

/** The sources of a run's answer. Undefined if the run has not ended or is not in the journals. */
export function provenanceOf(journals: Journals, runId: string): Provenance | undefined {
  const end = journals.get(runId)?.at(-1);
  const answer = end && answerOf(end);
  if (!end || answer === undefined) return undefined;
  const all = sentencesOf(answer);
  const sentences = all
    .slice(0, MOST_SENTENCES)
    .map((text) => parseSentence(text.slice(0, LONGEST_SENTENCE)));
  const wanted = traitIndex(sentences);
  const found = new Map<string, Hit[]>();
  const read = readSources(journals, runId, (source) => {
    const { hits, words } = hitsIn(source, wanted);
    const own = found.get(source.runId);
    if (own) own.push(...hits);
    else found.set(source.runId, hits);
    return words;
  });
  const first = { runId, seq: end.seq, agent: agentOfRun(journals, runId), what: "the answer" };
  return {
    sentences: sentences.map((sentence, index) => ({
      text: sentence.text,
      sources: sourcesOf(index, sentence, { journals, found, path: [first], runId }),
    })),
    effects: taintedEffects(journals, runId),
    unread: { sentences: all.length - sentences.length, sources: read.left },
    work: read.work,
  };
}

export function answerOf(end: JournalEvent): string | undefined {
  if (end.type !== "RUN_COMPLETED" && end.type !== "RUN_FAILED") return undefined;
  const { summary, result } = end.payload;
  return result.details === undefined || result.details === summary
    ? summary
    : `${summary}\n${result.details}`;
}

interface ParsedSentence {
  text: string;
  words: Word[];
  traits: Trait[];
}

const parseSentence = (text: string): ParsedSentence => ({
  text,
  words: wordsOf(text),
  traits: traitsOf(text),
});

/** Traits by their first word, so that most words of a text need only one lookup. */
type Wanted = Map<string, Map<string, { sentence: number; trait: Trait }[]>>;

function traitIndex(sentences: readonly ParsedSentence[]): Wanted {
  const wanted: Wanted = new Map();
  for (const [sentence, { traits }] of sentences.entries()) {
    for (const trait of traits) {
      const [first = ""] = trait.key.split(" ", 1);
      const keys = wanted.get(first) ?? new Map<string, { sentence: number; trait: Trait }[]>();
      keys.set(trait.key, [...(keys.get(trait.key) ?? []), { sentence, trait }]);
      wanted.set(first, keys);
    }
  }
  return wanted;
}

/** Reads the texts of all runs. The nearest runs come first. If there are too many, the deepest runs are left out. */
function readSources(journals: Journals, runId: string, read: (source: SourceText) => number) {
  let room = MOST_CHARACTERS;
  let left = 0;
  let work = 0;
  const runs = new Set([runId]);
  // Iterating a set includes elements that are added during the iteration.
  for (const run of runs) {
    for (const source of sourceTexts(journals, run)) {
      if (source.childRunId !== undefined) runs.add(source.childRunId);
      const text = source.text.slice(0, Math.min(MOST_IN_ONE, room));
      if (text.length < source.text.length) left++;
      room -= text.length;
      if (text !== "") work += read({ ...source, text });
    }
  }
  return { left, work };
}

/** The traits that one text shares with one sentence. */
interface Hit {
  source: SourceText;
  sentence: number;
  traits: Set<Trait>;
  /** Position of the longest trait in the text. */
  at: number;
  score: number;
}

function hitsIn(source: SourceText, wanted: Wanted): { hits: Hit[]; words: number } {
  const words = wordsOf(source.text);
  const bySentence = new Map<number, Map<Trait, number>>();
  for (const [at, { form, start }] of words.entries()) {
    const keys = wanted.get(form);
    if (!keys) continue;
    let key = "";
    for (let length = 0; length < PHRASE_LENGTH && at + length < words.length; length++) {
      key = length === 0 ? form : `${key} ${words[at + length]!.form}`;
      for (const { sentence, trait } of keys.get(key) ?? []) {
        const traits = bySentence.get(sentence) ?? new Map<Trait, number>();
        if (!traits.has(trait)) traits.set(trait, start);
        bySentence.set(sentence, traits);
      }
    }
  }
  const hits = Array.from(bySentence, ([sentence, traits]) => hitOf(source, sentence, traits));
  return { hits: hits.filter((hit) => hit !== undefined), words: words.length };
}

function hitOf(source: SourceText, sentence: number, places: ReadonlyMap<Trait, number>): Hit | undefined {
  const traits = [...places.keys()];
  const count = (weight: Trait["weight"]) => traits.filter((trait) => trait.weight === weight).length;
  const [phrases, strong, weak] = [count("phrase"), count("strong"), count("weak")];
  if (phrases === 0 && strong === 0 && weak < 2) return undefined;
  const longest = traits.toSorted((one, other) => other.key.length - one.key.length)[0]!;
  const score = phrases * 2 + strong * 3 + weak;
  return { source, sentence, traits: new Set(traits), at: places.get(longest)!, score };
}

interface Below {
  journals: Journals;
  found: ReadonlyMap<string, readonly Hit[]>;
  path: readonly ProvenanceStep[];
  runId: string;
  /** PV2: a source must share at least one of these traits. */
  within?: ReadonlySet<Trait>;
}

function sourcesOf(index: number, sentence: ParsedSentence, below: Below): Source[] {
  const { journals, found, path, runId } = below;
  const sources: Source[] = [];
  for (const hit of bestHits(index, below)) {
    if (sources.length >= MOST_SOURCES) break;
    const { seq, what, childRunId } = hit.source;
    const way = [...path, { runId, seq, agent: agentOfRun(journals, runId), what }];
    const isNew = childRunId !== undefined && !path.some((step) => step.runId === childRunId);
    const deeper = isNew
      ? sourcesOf(index, sentence, { journals, found, path: way, runId: childRunId, within: hit.traits })
      : [];
    sources.push(...(deeper.length > 0 ? deeper : [sourceAt(hit, sentence, way)]));
  }
  return sources.slice(0, MOST_SOURCES);
}

function bestHits(index: number, { found, runId, within }: Below): Hit[] {
  const hits = (found.get(runId) ?? []).filter(({ sentence, source, traits }) => {
    if (sentence !== index) return false;
    // A child's task is not a source: it says what to find, not what the child has found.
    return !within || (source.kind !== "task" && [...traits].some((trait) => within.has(trait)));
  });
  return hits.toSorted(
    (one, other) => other.score - one.score || RANK[one.source.kind] - RANK[other.source.kind],
  );
}

const RANK: Record<SourceText["kind"], number> = { tool: 0, child: 1, message: 2, task: 3 };

function sourceAt({ source, traits, at }: Hit, sentence: ParsedSentence, path: ProvenanceStep[]): Source {
  const { kind, text, untrusted } = source;
  const from = Math.max(0, at - EXCERPT);
  const to = Math.min(text.length, at + 2 * EXCERPT);
  const excerpt = `${from > 0 ? "…" : ""}${text.slice(from, to).trim()}${to < text.length ? "…" : ""}`;
  return { path, kind, shared: sharedWords(sentence, traits), excerpt, untrusted };
}

/** The words of a sentence that these traits contain. Neighbouring words are joined into one text. */
function sharedWords({ text, words }: ParsedSentence, traits: ReadonlySet<Trait>): string[] {
  const covered = words.map((_, at) => [...traits].some(({ from, to }) => from <= at && at < to));
  const spans: { start: number; end: number }[] = [];
  for (const [at, { start, end }] of words.entries()) {
    if (!covered[at]) continue;
    const last = spans.at(-1);
    if (last && covered[at - 1]) last.end = end;
    else spans.push({ start, end });
  }
  return spans.map(({ start, end }) => text.slice(start, end));
}

// Actions taken after untrusted input, each with the untrusted sources that the run had read by then.

interface TaintedEffect {
  runId: string;
  seq: number;
  ts: number;
  agent: string;
  what: string;
  untrusted: string[];
}

const MOST = 100;

/** The tainted actions of a run and all runs below it, in start order. */
function taintedEffects(journals: Journals, runId: string): TaintedEffect[] {
  return runsBelow(journals, runId)
    .flatMap((id) => effectsIn(journals, id))
    .toSorted((one, other) => one.ts - other.ts)
    .slice(0, MOST);
}

function effectsIn(journals: Journals, runId: string): TaintedEffect[] {
  const taint = emptyTaint();
  const names = describeCalls(journals.get(runId) ?? []);
  const unsafe = new Set<string>();
  return (journals.get(runId) ?? []).flatMap((event) => {
    trackTaint(taint, event);
    if (event.type === "TOOL_PROPOSED" && event.payload.effect !== "read")
      unsafe.add(event.payload.toolCallId);
    if (!isTainted(taint) || !isFirstStart(event) || !unsafe.has(event.payload.toolCallId)) return [];
    const { seq, ts, payload } = event;
    const what = names.get(payload.toolCallId) ?? payload.toolCallId;
    return [{ runId, seq, ts, agent: agentOfRun(journals, runId), what, untrusted: [...taint.sources] }];
  });
}

const isFirstStart = (event: JournalEvent): event is EventOf<"TOOL_STARTED"> =>
  event.type === "TOOL_STARTED" && (event.payload.attempt ?? 1) === 1;

function runsBelow(journals: Journals, runId: string): string[] {
  const below = new Set([runId]);
  for (const id of below)
    for (const event of journals.get(id) ?? [])
      if (event.type === "CHILD_RUN_STARTED") below.add(event.payload.child_run_id);
  return [...below];
}
