// Splits a text into sentences, and a sentence into traits that can be found in another text.
// A trait is a phrase of four words, or a single word that rarely matches by chance (URL, path, identifier, number, quotation).

export interface Word {
  /** The word in a normalized form, for comparison. */
  form: string;
  start: number;
  end: number;
}

/** A phrase or word that a sentence might share with another text. `key` contains its normalized words, joined by spaces. */
export interface Trait {
  key: string;
  /** Index range of the trait's words in the sentence. */
  from: number;
  to: number;
  /** A `weak` trait, such as a name or a small number, proves little alone. */
  weight: "phrase" | "strong" | "weak";
}

/** Splits a text into sentences, without the Markdown prefixes of headings, lists and quotations. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  return text.split("\n").flatMap((line) => {
    const words = line.replace(/^[\s>#]*(?:[-*+]|\d{1,3}[.)])?\s+|^[\s>#]+|^```.*$/, "").trim();
    return Array.from(segmenter.segment(words), ({ segment }) => segment.trim()).filter((one) =>
      /[\p{L}\p{N}]/u.test(one),
    );
  });
}

const WORDS =
  /https?:\/\/[^\s"'`<>()[\]{}|\\^]+|[.~@/]?[\p{L}\p{N}_](?:[\p{L}\p{N}_.,:/@%+#'’-]*[\p{L}\p{N}_%/])?%?/gu;

export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORDS), (match) => {
    const word = match[0].replace(/[.,;:!?'’]+$/, "");
    return {
      form: word.toLowerCase().replaceAll("’", "'"),
      start: match.index,
      end: match.index + word.length,
    };
  });
}

/** Number of words in the longest trait. */
export const PHRASE_LENGTH = 4;

export function traitsOf(sentence: string): Trait[] {
  const words = wordsOf(sentence);
  const forms = words.map(({ form }) => form);
  const quoted = quotedIn(sentence);
  const phraseLength = Math.min(PHRASE_LENGTH, forms.length);
  const traits: Trait[] = [];
  const add = (from: number, to: number, weight: Trait["weight"]): void => {
    traits.push({ key: forms.slice(from, to).join(" "), from, to, weight });
  };
  for (const [at, { start, end }] of words.entries()) {
    const phrase = forms.slice(at, at + phraseLength);
    if (phrase.length >= 3 && phrase.length === phraseLength && phrase.filter(isMeaningful).length >= 2)
      add(at, at + phraseLength, "phrase");
    // The first word of a sentence always has a capital. So it is treated as a name only if the next word has one too.
    const isPlain = at === 0 && !/^\p{Lu}/u.test(sentence.slice(words[1]?.start ?? end));
    const weight = weightOf(sentence.slice(start, end), isPlain);
    if (weight) add(at, at + 1, weight);
  }
  for (const { start, end } of quoted) {
    const within = words.flatMap((word, at) => (word.start >= start && word.end <= end ? [at] : []));
    if (within.length > 0 && within.length < PHRASE_LENGTH) add(within[0]!, within.at(-1)! + 1, "strong");
  }
  return traits;
}

function weightOf(word: string, isPlain: boolean): "strong" | "weak" | undefined {
  if (
    /^https?:\/\//.test(word) ||
    /[\p{L}\p{N}_.-]\/[\p{L}\p{N}_.-]/u.test(word) ||
    /\p{L}[\w-]*\.[a-z]\w{0,4}$/u.test(word)
  )
    return "strong";
  if (/^[\d.,:%]+$/.test(word)) return weightOfNumber(word);
  const isCode = /_|\p{Ll}\p{Lu}/u.test(word) || (/\p{L}/u.test(word) && /\d/.test(word) && word.length >= 4);
  if (isCode) return "strong";
  return /^\p{Lu}[\p{L}-]+$/u.test(word) && !isPlain && isMeaningful(word.toLowerCase()) ? "weak" : undefined;
}

function weightOfNumber(word: string): "strong" | "weak" | undefined {
  const digits = word.replaceAll(/\D/g, "").length;
  if (/^(19|20)\d\d$/.test(word)) return "weak";
  if (digits >= 3 || (digits >= 2 && /[.,:%]/.test(word))) return "strong";
  return digits === 2 ? "weak" : undefined;
}

function quotedIn(sentence: string): { start: number; end: number }[] {
  return Array.from(
    sentence.matchAll(/"[^"]{3,200}"|“[^”]{3,200}”|`[^`]{2,200}`/g),
    ({ 0: quote, index }) => ({
      start: index,
      end: index + quote.length,
    }),
  );
}

/** Whether a word carries a meaning by itself, unlike "the" or "of". */
const isMeaningful = (form: string): boolean => form.length > 2 && !COMMON.has(form);

const COMMON: ReadonlySet<string> = new Set(
  "the and for are was were has have had not but all any can its it's with that this they them then than from into over under you your our their there here been being will would should could may might one two each also only some such when what which who how why because after before about more most very just does did done now out off per via".split(
    " ",
  ),
);
