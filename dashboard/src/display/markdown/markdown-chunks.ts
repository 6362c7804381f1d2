// A long text in parts that can be drawn one by one: while it grows, only the last part has to be read again.

const ENOUGH = 4_000;

/** Never within a fence of code, a list or a table; joined they are the text. */
export function markdownChunks(text: string): string[] {
  if (text.length <= ENOUGH) return [text];
  const chunks: string[] = [];
  let chunk = "";
  let fence: string | undefined;
  let wasBlank = false;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (chunk.length >= ENOUGH && wasBlank && fence === undefined && /^[^\s\d*+-]/.test(line)) {
      chunks.push(chunk);
      chunk = "";
    }
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
    }
    wasBlank = line.trim() === "";
    chunk += line;
  }
  return [...chunks, chunk];
}
