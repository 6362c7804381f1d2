// Splits a long text into chunks that render separately. While the text grows, only the last chunk is parsed again.

const ENOUGH = 4_000;

/** Never splits a code block, a list or a table. Joining the chunks gives the original text. */
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
