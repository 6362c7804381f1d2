// What stands in a text in base64 or hexadecimal, read: a command can hide in it from a person who looks.

const BASE64 = /(?<![\w+/=-])(?:[A-Za-z0-9+/]{4}){3,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w+/=])/g;
const HEX = /(?<![\w])(?:[0-9a-fA-F]{2}){8,}(?![\w])|(?:\\x[0-9a-fA-F]{2}){4,}/g;
const MAX_FOUND = 20;

export function decodeHiddenText(texts: readonly string[]): { from: string; text: string }[] {
  const found = new Map<string, string>();
  for (const source of texts) {
    for (const [piece] of source.matchAll(HEX))
      take(piece, Buffer.from(piece.replaceAll("\\x", ""), "hex"), found);
    for (const [piece] of source.matchAll(BASE64)) take(piece, Buffer.from(piece, "base64"), found);
    if (found.size >= MAX_FOUND) break;
  }
  return [...found].map(([from, text]) => ({ from, text }));
}

/** Only what is text: the id of a commit reads as bytes that nobody wrote. */
function take(piece: string, bytes: Buffer, found: Map<string, string>): void {
  const text = bytes.toString("utf8");
  if (text.includes("\ufffd") || /[^\t\n\r\P{Cc}]/u.test(text) || !/[\s;|&/.$-]/.test(text)) return;
  if (found.size < MAX_FOUND) found.set(piece, text);
}
