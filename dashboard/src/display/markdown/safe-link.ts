const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/**
 * The target of a link in untrusted text; undefined if the target is not allowed.
 * Only absolute URLs are allowed, so that no link points to a page of the dashboard.
 */
export function safeLink(address: string | undefined): { href: string; host: string } | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (!url || !SCHEMES.has(url.protocol)) return undefined;
  return { href: url.href, host: url.protocol === "mailto:" ? url.pathname : url.host };
}
