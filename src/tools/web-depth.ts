// How deep the elements of a page lie in each other, at a glance. The parser looks up through all that are open at each
// new one: a page of nothing but beginnings would keep its thread busy until it is stopped (A44).

/** They have no end, or need none: a long list of them is no deeper than a short one. */
const ENDLESS = new Set(
  `area base basefont bgsound body br col colgroup dd dt embed frame head hr html image img input keygen li
  link meta optgroup option p param rb rp rt rtc source tbody td tfoot th thead tr track wbr`.split(/\s+/),
);

export function nestingDepth(html: string): number {
  let depth = 0;
  let deepest = 0;
  let end = 0;
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)/gi)) {
    // Asked for once for all tags before it: where there is none, it would be looked for to the end of the page by each.
    if (end < index + tag.length) end = html.indexOf(">", index + tag.length);
    if (end < 0) break;
    if (ENDLESS.has(name!.toLowerCase()) || html[end - 1] === "/") continue;
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
