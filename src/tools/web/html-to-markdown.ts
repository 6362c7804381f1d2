// Converts HTML to Markdown for a model. The result contains only text that a person would see. The time is linear in the page's length.
// Text hidden by attributes is removed and counted, because it can only be meant for programs that read the source (A46).

import { createDocument, type DomNode } from "@mixmark-io/domino";

export interface Markdown {
  title: string;
  text: string;
  /** Number of hidden elements that contained text. */
  hidden: number;
}

interface Page {
  /** The base address of relative links. */
  base: string;
  hidden: number;
}

const words = (text: string): Set<string> => new Set(text.split(/\s+/));

const NOT_TEXT = words(`SCRIPT STYLE NOSCRIPT TEMPLATE NAV SVG MATH CANVAS IFRAME OBJECT EMBED AUDIO VIDEO MAP
  BUTTON SELECT INPUT TEXTAREA DATALIST DIALOG LINK META TITLE HEAD`);

const BLOCKS =
  words(`ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE
  FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HGROUP LEGEND LI MAIN P SECTION SUMMARY TABLE TBODY TFOOT THEAD`);

/** Maximum nesting depth. Browsers draw only 512 levels. */
const MAX_DEPTH = 5_000;

export function toMarkdown(html: string, url: string): Markdown {
  if (nestingDepth(html) > MAX_DEPTH) throw new Error("Too many elements lie in each other.");
  const document = createDocument(html);
  const base = absoluteUrl(document.querySelector("base")?.getAttribute("href"), url) ?? url;
  const page: Page = { base, hidden: 0 };
  const text = document.body ? render(document.body, page) : "";
  const tidy = text.replace(/(?<![ \t])[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n");
  return { title: document.title, text: tidy.trim(), hidden: page.hidden };
}

function render(node: DomNode, page: Page): string {
  const { nodeName: name } = node;
  if (name === "#text") return node.data.replace(/\s+/g, " ");
  if (node.nodeType !== 1 || NOT_TEXT.has(name.toUpperCase())) return "";
  if (isHidden(node)) {
    if (contentOf(node, page).trim() !== "") page.hidden += 1;
    return "";
  }
  if (name === "BR") return "\n";
  if (name === "HR") return block("---");
  if (name === "IMG") return imageText(node);
  if (name === "PRE") return fencedBlock(plainText(node, page));
  if (name === "UL" || name === "OL") return block(listText(node, page));
  if (name === "TR") return rowText(node, page);
  const content = contentOf(node, page);
  return BLOCKS.has(name) ? blockText(name, content.trim()) : inlineText(node, content, page);
}

/** Joins the texts of the children, with at most one space between them, and no space at the start or end of a line. */
function contentOf(node: DomNode, page: Page): string {
  const pieces: string[] = [];
  for (const child of childrenOf(node)) {
    const piece = render(child, page);
    if (piece === "") continue;
    const last = pieces.at(-1);
    if (last !== undefined && piece.startsWith("\n")) pieces[pieces.length - 1] = last.replace(/ $/, "");
    const isBegun = last !== undefined && !/\s$/.test(last.slice(-1));
    pieces.push(isBegun ? piece : piece.replace(/^ /, ""));
  }
  return pieces.join("");
}

function* childrenOf(node: DomNode): Generator<DomNode> {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) yield child;
}

const block = (text: string): string => (text === "" ? "" : `\n\n${text}\n\n`);
const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, " ");

function blockText(name: string, text: string): string {
  const level = Number(/^H([1-6])$/.exec(name)?.[1] ?? 0);
  if (text === "") return "";
  if (level > 0) return block(`${"#".repeat(level)} ${oneLine(text)}`);
  if (name === "LI") return item("-", text);
  if (name === "BLOCKQUOTE") return block(`> ${text.replace(/\n{2,}/g, "\n\n").replaceAll("\n", "\n> ")}`);
  if (name === "TABLE") return block(text.replace(/\n{2,}/g, "\n"));
  return block(text);
}

function listText(list: DomNode, page: Page): string {
  let number = 0;
  const items = [...childrenOf(list)].map((child) => {
    if (child.nodeName !== "LI" || list.nodeName === "UL") return render(child, page).trim();
    number += 1;
    return isHidden(child) ? render(child, page) : item(`${number}.`, contentOf(child, page).trim());
  });
  return items.filter((text) => text !== "").join("\n");
}

const item = (marker: string, text: string): string =>
  text === "" ? "" : `${marker} ${text.replace(/\n+/g, `\n${" ".repeat(marker.length + 1)}`)}`;

/** A table row. If all cells are headings, the Markdown separator line follows. */
function rowText(row: DomNode, page: Page): string {
  const cells = [...childrenOf(row)].filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH");
  const texts = cells.map((cell) => (isHidden(cell) ? render(cell, page) : oneLine(contentOf(cell, page))));
  if (texts.every((text) => text === "")) return "";
  const isHead = cells.every(({ nodeName }) => nodeName === "TH");
  return `\n| ${texts.join(" | ")} |\n${isHead ? `|${" --- |".repeat(cells.length)}\n` : ""}`;
}

const MARKS: Readonly<Record<string, string>> = {
  STRONG: "**",
  B: "**",
  EM: "*",
  I: "*",
  CODE: "`",
  KBD: "`",
  SAMP: "`",
};

/** Underscores are not escaped, because the model might search for a name such as `max_bytes`. */
function inlineText(node: DomNode, content: string, page: Page): string {
  const mark = MARKS[node.nodeName];
  const text = content.trim();
  const isPlain = text === "" || (text.includes("\n") && node.nodeName !== "A");
  if (isPlain || (mark === undefined && node.nodeName !== "A")) return content;
  const inner =
    mark === undefined ? link(text, absoluteUrl(node.getAttribute("href"), page.base)) : mark + text + mark;
  return `${/^\s/.test(content) ? " " : ""}${inner}${/\s$/.test(content) ? " " : ""}`;
}

const link = (text: string, href: string | undefined): string =>
  href === undefined ? text : `[${oneLine(text)}](${href.replaceAll("(", "%28").replaceAll(")", "%29")})`;

/** The absolute address of a link. Undefined unless it is a web or mail address. */
function absoluteUrl(href: string | null | undefined, base: string): string | undefined {
  if (typeof href !== "string" || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

function imageText(image: DomNode): string {
  const alt = oneLine(image.getAttribute("alt") ?? "");
  return alt === "" ? "" : `[image: ${alt}]`;
}

function fencedBlock(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return text.trim() === "" ? "" : block(`${fence}\n${text.replace(/^\n|\n$/g, "")}\n${fence}`);
}

function plainText(node: DomNode, page: Page): string {
  if (node.nodeName === "#text") return node.data;
  if (node.nodeName === "BR") return "\n";
  if (node.nodeType !== 1 || NOT_TEXT.has(node.nodeName.toUpperCase()) || isHidden(node))
    return render(node, page);
  return [...childrenOf(node)].map((child) => plainText(child, page)).join("");
}

const INVISIBLE = [
  /display\s*:\s*none/i,
  /visibility\s*:\s*(hidden|collapse)/i,
  /(opacity|font-size|(max-)?(height|width))\s*:\s*(0+|0*\.0+)([a-z%]*)\s*(;|!|$)/i,
  /color\s*:\s*(transparent|rgba\([^)]*,\s*0?\.?0+\s*\))/i,
  /(text-indent|left|top|right|bottom)\s*:\s*-\d{3}/i,
  /font-size\s*:\s*(0*1|0*\.\d+)px/i,
  /clip\s*:\s*rect\(\s*(0|1px)|clip-path\s*:\s*(inset\(\s*(50|100)%|circle\(\s*0)|scale[xy]?\(\s*0*\.?0*\s*[,)]/i,
];

function isHidden(node: DomNode): boolean {
  if (node.getAttribute("hidden") !== null || node.getAttribute("popover") !== null) return true;
  const style = node.getAttribute("style");
  if (style === null) return false;
  const read = asRead(style.slice(0, 10_000));
  return INVISIBLE.some((pattern) => pattern.test(read));
}

/** Decodes comments and escapes as a browser does: `display:/* *\/n\6fne` is `display:none`. */
const asRead = (style: string): string =>
  style
    .replace(/\/\*.*?(\*\/|$)/gs, "")
    .replace(/\\0*([\da-f]{1,4})\s?/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(?=[g-z])/gi, "");

/** Elements that need no closing tag. A series of them does not count as nesting. */
const ENDLESS = new Set(
  `area base basefont bgsound body br col colgroup dd dt embed frame head hr html image img input keygen li
  link meta optgroup option p param rb rp rt rtc source tbody td tfoot th thead tr track wbr`.split(/\s+/),
);

/** Estimates the nesting depth of a page. The parser is slow for a page that consists only of opening tags (A44). */
export function nestingDepth(html: string): number {
  let depth = 0;
  let deepest = 0;
  let end = 0;
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)/gi)) {
    // `end` is the position of the next `>`. A separate search for each tag could scan the rest of the page every time.
    if (end < index + tag.length) end = html.indexOf(">", index + tag.length);
    if (end < 0) break;
    if (ENDLESS.has(name!.toLowerCase()) || html[end - 1] === "/") continue;
    depth = slash === "" ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
