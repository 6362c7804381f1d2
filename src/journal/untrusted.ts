// Wraps untrusted text in a tag that the text cannot close, because the text's author does not know the nonce in the tag.

export function markUntrusted(nonce: string, source: string, text: string): string {
  const tag = `untrusted-${nonce}`;
  const label = source.replace(/[^\p{L}\p{N} _.:/@-]/gu, "").slice(0, 200);
  return `<${tag} source="${label}">\n${text.replaceAll(nonce, "…")}\n</${tag}>`;
}

/** Removes the tags around untrusted text, so that people see only the text. */
export const stripUntrustedMarks = (text: string): string =>
  text.replaceAll(/<\/?untrusted-\w{16}[^<>]*>\n?/g, "");
