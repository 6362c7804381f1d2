// Output is bounded: head and tail go into the context, the middle is left out by count.

export const CONTEXT_BYTES = 30_000;

export interface Bounded {
  text: string;
  /** True where something was left out. */
  cut: boolean;
}

/** Keeps the first two thirds and the last third of what may stay. Never splits a surrogate pair. */
export function boundOutput(text: string, max = CONTEXT_BYTES): Bounded {
  if (text.length <= max) return { text, cut: false };
  const head = wholeEnd(text, Math.ceil((max * 2) / 3));
  const tail = wholeStart(text, text.length - Math.floor(max / 3));
  const left = tail - head;
  return { text: `${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(tail)}`, cut: true };
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function wholeEnd(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return isHighSurrogate(text.charCodeAt(at - 1)) ? at + 1 : at;
}
