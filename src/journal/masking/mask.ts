// Replaces secrets by `⟦secret NAME⟧` before anything is stored, sent or printed.
// Secrets are found by their value, in every form of `secret-forms.ts`, not by the name of the field that holds them (A61).
//  R1  A value without secrets is returned unchanged, as the same string or the same object.
//  R2  Masking is idempotent.
//  R3  A stream holds back text that could be the beginning of a secret, until the next text shows that it is not a secret.

import { journalWords } from "./journal-words.ts";
import { secretForms } from "./secret-forms.ts";
import { SHORTEST_TOKEN, TOKEN_STARTS, TOKENS, tokenName, unfinishedTokenStart } from "./token-shapes.ts";
import { createTruncatedSecrets } from "./truncated-secrets.ts";
import { createPartLookup, createWordIndex, type WordIndex } from "./word-index.ts";

export interface Secret {
  /** Name of the variable that contains the secret. The mark shows this name. */
  name: string;
  value: string;
}

/** The source of the secrets. The mask reads the list again only after the list has changed. */
export interface Secrets {
  list(): readonly Secret[];
  hasChanged(): boolean;
}

export interface Mask {
  text(text: string): string;
  /** Masks every string in a value, including the keys of objects. */
  value<T>(value: T): T;
  /** Masks a text that arrives in pieces, including secrets that are split between pieces. */
  stream(emit: (text: string) => void): MaskedStream;
  /** Call this after a tool ran, because the tool might have changed the project's `.env` files. */
  refresh(): void;
}

export interface MaskedStream {
  add(piece: string): void;
  /** Emits the text that was held back. */
  end(): void;
}

/** Shorter values are not masked, because they occur by chance in too many texts. */
export const SHORTEST_SECRET = 8;

export const secretMark = (name: string): string => `⟦secret ${name}⟧`;

/** Finds the marks in a text. A call that contains a mark cannot run, because the value behind the mark is lost. */
export const findSecretMarks = (text: string): string[] => text.match(/⟦secret [\w.-]+⟧/g) ?? [];

export function createMask(secrets: Secrets): Mask {
  let known = knownForms(secrets.list());
  /** Objects that contain no secrets. They are remembered, so that an event is not searched again when it is stored. */
  let clean = new WeakSet<object>();
  const text = (given: string): string => {
    if (given.length < SHORTEST_SECRET) return given;
    const masked = known ? known.replace(given) : given;
    return holdsToken(masked) ? masked.replace(TOKENS, (token) => secretMark(tokenName(token))) : masked;
  };
  return {
    text,
    value(given) {
      if (typeof given !== "object" || given === null) return maskedValue(given, text);
      if (clean.has(given)) return given;
      const masked = maskedValue(given, text);
      clean.add(masked);
      return masked;
    },
    stream: (emit) =>
      maskedStream({
        emit,
        text,
        openFrom: (held) => unfinishedStart(held, known),
      }),
    refresh() {
      if (!secrets.hasChanged()) return;
      known = knownForms(secrets.list());
      clean = new WeakSet();
    },
  };
}

type MaskText = (text: string) => string;

function maskedValue<T>(given: T, text: MaskText): T {
  if (typeof given === "string") return text(given) as T;
  // Usually nothing is masked, and nothing has to be copied.
  if (isClean(given, text)) return given;
  if (Array.isArray(given)) return given.map((item) => maskedValue(item, text)) as T;
  const entries = Object.entries(given as object);
  // `fromEntries` instead of assignment, so that `__proto__` stays an ordinary key (A57).
  return Object.fromEntries(entries.map(([key, inner]) => [text(key), maskedValue(inner, text)])) as T;
}

function isClean(value: unknown, text: MaskText): boolean {
  if (typeof value === "string") return text(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isClean(item, text));
  for (const key of Object.keys(value))
    if (text(key) !== key || !isClean((value as Record<string, unknown>)[key], text)) return false;
  return true;
}

interface KnownForms {
  replace(text: string): string;
  /** Index at which an unfinished secret might begin. */
  beginning(text: string): number;
  /** Returns `cut`, or the start of the secret that this cut would split. */
  outside(text: string, cut: number): number;
}

function knownForms(all: readonly Secret[]): KnownForms | undefined {
  const secrets = all.filter(({ value }) => value.length >= SHORTEST_SECRET);
  if (secrets.length === 0) return undefined;
  const names = new Map<string, string>();
  const encoded: string[] = [];
  // R2: skips a secret that occurs in a mark or in a word of the journal. Otherwise masking would change the mark again.
  const standsIn = createPartLookup(
    [...secrets.map((one) => secretMark(one.name)), ...journalWords()],
    SHORTEST_SECRET,
  );
  const isFree = (form: string): boolean => !standsIn(form);
  for (const { name, value } of secrets) {
    if (!isFree(value)) continue;
    for (const part of partsOf(value)) {
      const forms = secretForms(part);
      for (const form of [...forms.plain, ...forms.encoded].filter(isFree))
        if (!names.has(form)) names.set(form, name);
      encoded.push(...forms.encoded.filter(isFree));
    }
  }
  if (names.size === 0) return undefined;
  const words = createWordIndex([...names.keys()]);
  const cut = createTruncatedSecrets([...names.keys()]);
  const broken = createWordIndex(encoded);
  const longest = names.keys().reduce((most, { length }) => Math.max(most, length), 0);
  const mark = (found: string): string => secretMark(names.get(found)!);
  return {
    replace(text) {
      const masked = cut.replace(replaceWords(text, words, mark), mark);
      return isWrapped(masked) ? replaceOverLines(masked, broken, mark) : masked;
    },
    beginning: words.unfinishedFrom,
    outside: (text, cut) => cutOutsideWords(text, words, cut, longest),
  };
}

/** A multi-line value and its longer lines. Some tools print a secret line by line. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n/);
  return lines.length === 1
    ? [value]
    : [value, ...lines.filter(({ length }) => length >= 2 * SHORTEST_SECRET)];
}

function replaceWords(text: string, words: WordIndex, mark: (word: string) => string): string {
  let masked = "";
  let done = 0;
  for (let next = words.find(text, 0); next; next = words.find(text, done)) {
    masked += text.slice(done, next.at) + mark(next.word);
    done = next.at + next.word.length;
  }
  return done === 0 ? text : masked + text.slice(done);
}

function cutOutsideWords(text: string, words: WordIndex, cut: number, longest: number): number {
  if (cut === text.length) return cut;
  const from = Math.max(0, cut - longest);
  for (let next = words.find(text, from); next && next.at < cut; next = words.find(text, next.at + 1))
    if (next.at + next.word.length > cut) return next.at;
  return cut;
}

/** A line break. The Read tool can print a line number after it. */
const LINE_BREAK = /\r?\n(?:\d+\t)?/g;
/** `base64` and `xxd` break their output into lines that are longer than this. */
const WRAPPED_LINE = 40;
const ENCODED_LINE = /^[\w+/=-]+$/;

function isWrapped(text: string): boolean {
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) {
    if (end < WRAPPED_LINE || text.charCodeAt(end - 2) <= 32) continue;
    if (ENCODED_LINE.test(text.slice(end - WRAPPED_LINE, end - 1))) return true;
  }
  return false;
}

/** Replaces encoded secrets that are wrapped over several lines. */
function replaceOverLines(text: string, words: WordIndex, mark: (word: string) => string): string {
  const joined = text.replace(LINE_BREAK, "");
  const breaks = Array.from(text.matchAll(LINE_BREAK), ({ index, 0: { length } }) => ({ index, length }));
  let [passed, left] = [0, 0];
  /** Translates an index of `joined` to an index of `text`. The indexes must grow from call to call. */
  const placeOf = (at: number): number => {
    for (; passed < breaks.length && breaks[passed]!.index <= at + left; passed++)
      left += breaks[passed]!.length;
    return at + left;
  };
  let masked = "";
  let done = 0;
  for (let next = words.find(joined, 0); next; next = words.find(joined, next.at + next.word.length)) {
    masked += text.slice(done, placeOf(next.at)) + mark(next.word);
    done = placeOf(next.at + next.word.length - 1) + 1;
  }
  return done === 0 ? text : masked + text.slice(done);
}

const tokenStarts = createWordIndex(TOKEN_STARTS);

/** The stream can be emitted up to this index. The index never splits a complete secret. */
function unfinishedStart(text: string, known: KnownForms | undefined): number {
  let cut = Math.min(known?.beginning(text) ?? text.length, openToken(text));
  for (let before = -1; before !== cut; ) {
    before = cut;
    cut = cutOutsideTokens(text, known?.outside(text, cut) ?? cut);
  }
  return cut;
}

const holdsToken = (text: string): boolean => text.length >= SHORTEST_TOKEN && text.search(TOKENS) >= 0;

function openToken(text: string): number {
  return Math.min(tokenStarts.unfinishedFrom(text), unfinishedTokenStart(text));
}

function cutOutsideTokens(text: string, cut: number): number {
  if (cut === text.length || !holdsToken(text)) return cut;
  for (const { index, 0: token } of text.matchAll(TOKENS))
    if (index < cut && index + token.length > cut) return index;
  return cut;
}

interface StreamParts {
  emit(text: string): void;
  text(text: string): string;
  openFrom(text: string): number;
}

function maskedStream({ emit, text, openFrom }: StreamParts): MaskedStream {
  let held = "";
  return {
    add(piece) {
      held += piece;
      const at = openFrom(held);
      if (at === 0) return;
      emit(text(held.slice(0, at)));
      held = held.slice(at);
    },
    end() {
      if (held !== "") emit(text(held));
      held = "";
    },
  };
}
