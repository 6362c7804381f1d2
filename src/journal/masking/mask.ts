// Replaces secrets by `⟦secret NAME⟧` before anything is stored, sent or printed.
// Secrets are found by their value, in every form of `secret-forms.ts`, not by the name of the field that holds them (A61).
//  R1  A value without secrets is returned unchanged, as the same string or the same object.
//  R2  Masking is idempotent.
//  R3  A stream holds back text that could be the beginning of a secret, until the next text shows that it is not a secret.
//  R4  The mask never changes provider data in a thought: signatures, encrypted reasoning, and ids. The provider rejects a thought with changed data.
//      This data is opaque to Cadre: it goes only to the model that wrote it, and no page or prompt shows it.

import type { EventBody } from "../events.ts";
import type { ThoughtPart } from "../message.ts";
import { journalWords } from "./journal-words.ts";
import { secretForms } from "./secret-forms.ts";
import { sortWords } from "./sorted-words.ts";
import { createTruncatedSecrets } from "./truncated-secrets.ts";

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
  /** Masks the text of a whole file and keeps its lines, so that a tool can show or search some of them. Each line of a private key becomes a mark. */
  lines(text: string): string;
  /** Masks every string in a value, including the keys of objects. */
  value<T>(value: T): T;
  /** Masks an object with a function of the caller. An object that the mask returned is not searched again until the secrets change. */
  once<T extends object>(given: T, maskIt: (given: T) => T): T;
  /** Masks a text that arrives in pieces, including secrets that are split between pieces. */
  stream(emit: (text: string) => void): MaskedStream;
  /** The secrets that are known now, for a search in files. They must not be shown or stored. */
  values(): readonly string[];
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
  /** Objects in which no secret was found, so that an event is not searched a second time when it is stored. */
  let clean = new WeakSet<object>();
  /** Keys in which no secret was found. The same few keys occur in nearly all objects. */
  let cleanKeys = new Set<string>();
  const text = (given: string): string => {
    if (given.length < SHORTEST_SECRET) return given;
    const masked = known ? known.replace(given) : given;
    return holdsToken(masked) ? masked.replace(TOKENS, (token) => secretMark(tokenName(token))) : masked;
  };
  const isCleanKey = (key: string): boolean => {
    if (cleanKeys.has(key)) return true;
    if (text(key) !== key) return false;
    if (key.length <= LONGEST_KEPT_KEY && cleanKeys.size < MOST_KEPT_KEYS) cleanKeys.add(key);
    return true;
  };
  const once: Mask["once"] = (given, maskIt) => {
    if (clean.has(given)) return given;
    const masked = maskIt(given);
    clean.add(masked);
    return masked;
  };
  return {
    text,
    once,
    lines(given) {
      if (text(given) === given) return given;
      const marked = given.replace(TOKENS, (token) =>
        token.replace(/[^\r\n]+/g, secretMark(tokenName(token))),
      );
      return marked.split("\n").map(text).join("\n");
    },
    value: (given) => maskedValue(given, text, isCleanKey),
    stream: (emit) =>
      maskedStream({
        emit,
        text,
        openFrom: (held) => unfinishedStart(held, known),
      }),
    values: () => secrets.list().flatMap(({ value }) => (value.length < SHORTEST_SECRET ? [] : [value])),
    refresh() {
      if (!secrets.hasChanged()) return;
      known = knownForms(secrets.list());
      clean = new WeakSet();
      cleanKeys = new Set();
    },
  };
}

/** Masks an event before it is stored (A61, R4). */
export const maskEvent = <T extends EventBody>(event: T, mask: Mask): T =>
  mask.once(event, (given) =>
    given.type === "AGENT_THOUGHT" ? (maskThoughtEvent(given, mask) as T) : mask.value(given),
  );

function maskThoughtEvent<T extends EventBody>(event: T, mask: Mask): EventBody {
  if (event.type !== "AGENT_THOUGHT") return event;
  const { payload } = event;
  const maskField = (key: string): unknown => {
    const value = payload[key as keyof typeof payload];
    return key === "content" ? maskThought(payload.content, mask) : mask.value(value);
  };
  // Usually nothing is masked, and nothing has to be copied.
  if (Object.keys(payload).every((key) => maskField(key) === payload[key as keyof typeof payload]))
    return event;
  const masked = Object.fromEntries(Object.keys(payload).map((key) => [key, maskField(key)]));
  return { ...event, payload: masked as typeof payload };
}

/** A signature covers the text of the reasoning. So if a secret in that text has to be masked, the thought loses all its reasoning. */
function maskThought(content: ThoughtPart[], mask: Mask): ThoughtPart[] {
  const masked = content.map((part) => maskPart(part, mask));
  const isChanged = (part: ThoughtPart, index: number): boolean => part !== content[index];
  if (!masked.some(isChanged)) return content;
  const mustDrop = masked.some((part, index) => part.type === "reasoning" && isChanged(part, index));
  return mustDrop ? masked.filter(({ type }) => type !== "reasoning") : masked;
}

function maskPart(part: ThoughtPart, mask: Mask): ThoughtPart {
  if (part.providerOptions === undefined) return mask.value(part);
  const { providerOptions, ...words } = part;
  const masked = mask.value(words);
  if (masked === words) return part;
  return { ...masked, providerOptions } as ThoughtPart;
}

type MaskText = (text: string) => string;
type IsCleanKey = (key: string) => boolean;

const LONGEST_KEPT_KEY = 40;
const MOST_KEPT_KEYS = 1_000;

function maskedValue<T>(given: T, text: MaskText, isCleanKey: IsCleanKey): T {
  if (typeof given === "string") return text(given) as T;
  // Usually nothing is masked, and nothing has to be copied.
  if (isClean(given, text, isCleanKey)) return given;
  if (Array.isArray(given)) return given.map((item) => maskedValue(item, text, isCleanKey)) as T;
  const entries = Object.entries(given as object);
  // `fromEntries` instead of assignment, so that `__proto__` stays an ordinary key (A57).
  return Object.fromEntries(
    entries.map(([key, inner]) => [text(key), maskedValue(inner, text, isCleanKey)]),
  ) as T;
}

function isClean(value: unknown, text: MaskText, isCleanKey: IsCleanKey): boolean {
  if (typeof value === "string") return text(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isClean(item, text, isCleanKey));
  for (const key of Object.keys(value))
    if (!isCleanKey(key) || !isClean((value as Record<string, unknown>)[key], text, isCleanKey)) return false;
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
  // R2: a secret is not masked inside a mark or a word of the journal. Otherwise masking a second time would change the mark.
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

/** Index up to which the stream can be emitted. No secret is split at this index. */
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

/** Well-known formats of tokens, such as API keys and private keys. They are masked even if their values are not known. */
interface Shape {
  name: string;
  /** Literal texts with which the token begins. */
  starts: string[];
  /** Pattern for the part of the token after its literal beginning. */
  rest: string;
}

const SHAPES: Shape[] = [
  { name: "api-key", starts: ["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-"], rest: "[\\w-]{20,}" },
  { name: "api-key", starts: ["sk-"], rest: "[A-Za-z0-9]{32,}" },
  { name: "api-key", starts: ["AIza"], rest: "[\\w-]{35}" },
  { name: "api-key", starts: ["sk_live_", "rk_live_", "sk_test_"], rest: "[A-Za-z0-9]{20,}" },
  { name: "github-token", starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], rest: "[A-Za-z0-9]{36,}" },
  { name: "github-token", starts: ["github_pat_"], rest: "\\w{40,}" },
  { name: "gitlab-token", starts: ["glpat-"], rest: "[\\w-]{20,}" },
  { name: "npm-token", starts: ["npm_"], rest: "[A-Za-z0-9]{36}" },
  { name: "slack-token", starts: ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"], rest: "[A-Za-z0-9-]{10,}" },
  { name: "aws-key", starts: ["AKIA", "ASIA"], rest: "[A-Z0-9]{16}(?![A-Za-z0-9])" },
];

const BLOCK_START = "-----BEGIN ";
const BLOCK_END = "-----END [A-Z0-9 ]+-----";
/** A block without an end is masked up to the end of the text. The pattern never backtracks, so a text with many starts of blocks is searched quickly. */
const BLOCK = `${BLOCK_START}(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\\w+/=\\s:,.\\\\-])*${BLOCK_END}|[\\w+/=\\s\\\\]*)`;

/** The literal prefixes, for a stream that must wait to see whether a token follows. */
const TOKEN_STARTS: readonly string[] = [...SHAPES.flatMap(({ starts }) => starts), BLOCK_START];

const SHORTEST_TOKEN = 15;

const anyOf = (words: readonly string[]): string => `(?:${words.join("|")})`;
const nothingBefore = "(?<![A-Za-z0-9])";

const TOKENS = new RegExp(
  [...SHAPES.map(({ starts, rest }) => `${nothingBefore}${anyOf(starts)}${rest}`), BLOCK].join("|"),
  "g",
);

const LONGEST_OPEN = 512;
const LONGEST_BLOCK = 16_000;
const OPEN_TOKEN = new RegExp(`${anyOf(SHAPES.flatMap(({ starts }) => starts))}[\\w-]{0,${LONGEST_OPEN}}$`);

/** Index of a token or block that might continue after the end of the text. If there is none, the text's length. */
function unfinishedTokenStart(text: string): number {
  const tail = Math.max(0, text.length - LONGEST_OPEN - BLOCK_START.length);
  const token = text.slice(tail).search(OPEN_TOKEN);
  const block = text.indexOf(BLOCK_START, Math.max(lastBlockEnd(text), text.length - LONGEST_BLOCK));
  return Math.min(token < 0 ? text.length : tail + token, block < 0 ? text.length : block);
}

/** Index at which the last complete block ends. 0 if there is none. */
function lastBlockEnd(text: string): number {
  const end = new RegExp(BLOCK_END, "y");
  for (let at = text.lastIndexOf("-----END "); at > 0; at = text.lastIndexOf("-----END ", at - 1)) {
    end.lastIndex = at;
    if (end.test(text)) return at;
  }
  return 0;
}

function tokenName(text: string): string {
  if (text.startsWith(BLOCK_START)) return "private-key";
  return SHAPES.find(({ starts }) => starts.some((start) => text.startsWith(start)))!.name;
}

/**
 * Searches a text for many words in one pass (Wu and Manber).
 * If the two characters at the end of a window occur in no word, the search skips nearly the whole window.
 * The search must be fast, because every recorded string is searched.
 */
interface WordIndex {
  /** Finds the first word at or after `from`. If several words begin there, it returns the longest. */
  find(text: string, from: number): { at: number; word: string } | undefined;
  /** Index of a word that the end of the text cuts off. If there is none, the text's length. */
  unfinishedFrom(text: string): number;
}

const TABLE = 1 << 14;

/** Table index of two characters. A hash collision costs a comparison but never misses a word. */
const place = (first: number, second: number): number => (first * 131 + second) & (TABLE - 1);

/** Words must have at least two characters. */
function createWordIndex(given: readonly string[]): WordIndex {
  const words = [...new Set(given)];
  const sorted = sortWords(words);
  const window = words.length === 0 ? 2 : words.reduce((least, { length }) => Math.min(least, length), TABLE);
  const shifts = new Uint16Array(TABLE).fill(window - 1);
  const starts = new Set<string>();
  const first = new Set<number>();
  for (const word of words) {
    for (let index = 0; index < window - 1; index++) {
      const at = place(word.charCodeAt(index), word.charCodeAt(index + 1));
      shifts[at] = Math.min(shifts[at]!, window - 2 - index);
    }
    starts.add(word.slice(0, window));
    first.add(word.charCodeAt(0));
  }
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0);
  return {
    find(text, from) {
      const last = text.length - window;
      for (let at = from; at <= last; ) {
        const end = place(text.charCodeAt(at + window - 2), text.charCodeAt(at + window - 1));
        const shift = shifts[end]!;
        if (shift > 0) {
          at += shift;
          continue;
        }
        const word = starts.has(text.slice(at, at + window)) ? sorted.longestAt(text, at) : undefined;
        if (word !== undefined) return { at, word };
        at++;
      }
      return undefined;
    },
    unfinishedFrom(text) {
      for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
        if (first.has(text.charCodeAt(from)) && sorted.longerThan(text.slice(from)) !== undefined)
          return from;
      }
      return text.length;
    },
  };
}

/** Returns a function that tests whether a text of at least `shortest` characters is part of one of the words. */
function createPartLookup(words: readonly string[], shortest: number): (text: string) => boolean {
  const holders = new Map<string, string[]>();
  for (const word of new Set(words))
    for (let at = 0; at + shortest <= word.length; at++) {
      const part = word.slice(at, at + shortest);
      const list = holders.get(part);
      if (!list) holders.set(part, [word]);
      else if (list.at(-1) !== word) list.push(word);
    }
  return (text) => holders.get(text.slice(0, shortest))?.some((word) => word.includes(text)) ?? false;
}

const tokenStarts = createWordIndex(TOKEN_STARTS);
