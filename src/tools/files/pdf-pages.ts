// Counts the pages of a PDF in one pass over its bytes. Nothing is decompressed, so no PDF takes long.

const MAX_NODES = 1_000;
const MAX_NODE = 4_000;

/** Returns the minimum number of pages: pages in compressed objects are not counted. */
export function countPages(pdf: Buffer): number {
  const text = pdf.toString("latin1");
  let pages = 0;
  for (const _ of text.matchAll(/\/Type\s{0,9}\/Page(?![A-Za-z])/g)) pages++;
  return Math.max(pages, declaredPages(text));
}

/** The largest number of pages that a node of the page tree declares. One page can be listed many times. */
function declaredPages(text: string): number {
  let most = 0;
  let nodes = 0;
  for (const { index } of text.matchAll(/\/Type\s{0,9}\/Pages(?![A-Za-z])/g)) {
    if (++nodes > MAX_NODES) break;
    const before = text.slice(Math.max(0, index - MAX_NODE), index);
    const after = text.slice(index, index + MAX_NODE);
    const node = before.slice(before.lastIndexOf("<<") + 1) + after.split(">>", 1)[0];
    const count = /\/Count\s{0,9}(\d{1,9})/.exec(node)?.[1];
    if (count !== undefined) most = Math.max(most, Number(count));
  }
  return most;
}
