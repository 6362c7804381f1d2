// Shortens output for the context. It keeps the head and the tail, and says how much is missing between them.

export const CONTEXT_BYTES = 30_000;

export interface Bounded {
  text: string;
  /** Whether a part of the text is missing. */
  cut: boolean;
}

/** Gives two thirds of `max` to the head and one third to the tail. Never splits a surrogate pair. */
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
