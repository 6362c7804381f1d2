// Text that nobody here wrote, in a block that it cannot close: the tag carries a nonce that its writer cannot know.

export function markUntrusted(nonce: string, source: string, text: string): string {
  const tag = `untrusted-${nonce}`;
  const label = source.replace(/[^\p{L}\p{N} _.:/@-]/gu, "").slice(0, 200);
  return `<${tag} source="${label}">\n${text.replaceAll(nonce, "…")}\n</${tag}>`;
}

/** What was put around a stranger's words is not theirs. */
export const stripUntrustedMarks = (text: string): string =>
  text.replaceAll(/<\/?untrusted-\w{16}[^<>]*>\n?/g, "");
