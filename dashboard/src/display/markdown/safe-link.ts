const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** Where a link of a stranger leads, if it may lead anywhere: whole addresses only, so that none leads into this page. */
export function safeLink(address: string | undefined): { href: string; host: string } | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (!url || !SCHEMES.has(url.protocol)) return undefined;
  return { href: url.href, host: url.protocol === "mailto:" ? url.pathname : url.host };
}
