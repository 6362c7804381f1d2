// Translates regular expressions over paths into wildcards. It reads only plain text, `.*`, anchors and groups of
// alternatives. Any other expression has no translation, because a wider one would allow more.

const MAX_CHOICES = 64;
const START = "\u0002";
const END = "\u0003";

/** Wildcards that together match the same paths as the expression. Undefined: there are none. */
export function regexWildcards(source: string): string[] | undefined {
  const reader: Reader = { source, at: 0 };
  const found = choices(reader);
  if (!found || reader.at < source.length) return undefined;
  const patterns = found.map((text) => {
    const open = text.startsWith(START) ? text.slice(1) : `*${text}`;
    return (open.endsWith(END) ? open.slice(0, -1) : `${open}*`).replace(/\*+/g, "*");
  });
  return patterns.some((text) => text.includes(START) || text.includes(END)) ? undefined : patterns;
}

interface Reader {
  source: string;
  at: number;
}

/** Alternatives `a|b` up to a closing bracket or the end. */
function choices(reader: Reader): string[] | undefined {
  const all: string[] = [];
  do {
    const one = sequence(reader);
    if (!one) return undefined;
    all.push(...one);
    if (all.length > MAX_CHOICES) return undefined;
  } while (take(reader, /\|/y) !== undefined);
  return all;
}

function sequence(reader: Reader): string[] | undefined {
  let texts = [""];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at]!)) {
    const next = piece(reader);
    if (!next) return undefined;
    texts = texts.flatMap((text) => next.map((more) => text + more));
    if (texts.length > MAX_CHOICES) return undefined;
  }
  return texts;
}

function piece(reader: Reader): string[] | undefined {
  if (take(reader, /\.[*+]/y) !== undefined) return ["*"];
  if (take(reader, /\((\?:)?(?!\?)/y) !== undefined) {
    const inner = choices(reader);
    const closed = take(reader, /\)(?![*+?{])/y) !== undefined;
    return closed ? inner : undefined;
  }
  if (take(reader, /\^/y) !== undefined) return [START];
  if (take(reader, /\$/y) !== undefined) return [END];
  const text = take(reader, /(?:\\[./_-]|[^\\.*+?()[\]{}|^$])(?![*+?{])/y);
  return text === undefined ? undefined : [text.replace(/^\\/, "")];
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.source)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}
