// Reads the Markdown pages of the repository: headings, links and fenced blocks. Other Markdown is ignored.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Page {
  path: string;
  text: string;
}

export interface Block {
  page: string;
  line: number;
  /** The words after the opening fence, such as `yaml file=examples/…`. */
  info: string;
  body: string;
}

const PLACES = [
  "*.md",
  "docs/**/*.md",
  "examples/**/*.md",
  "agents/**/README.md",
  "bench/*.md",
  "deploy/**/*.md",
  "dashboard/*.md",
  "site/*.md",
];

export function readPages(): Page[] {
  return globSync(PLACES, { cwd: ROOT, exclude: ["**/node_modules"] })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

export function blocksOf({ path, text }: Page): Block[] {
  return [...text.matchAll(/^( *)```(\S.*)\n([\s\S]*?)^\1```$/gm)].map((found) => ({
    page: path,
    line: text.slice(0, found.index).split("\n").length,
    info: found[2]!,
    body: found[3]!,
  }));
}

/** The targets of all links on a page, as `path#anchor`. Links inside code are ignored. */
export function linksOf({ text }: Page): string[] {
  return [...prose(text).matchAll(/\]\(([^()\s]+(?:\([^()]*\))?)\)/g)].map(([, target]) => target!);
}

/** The anchors of a page. They are derived from the headings in the same way as on GitHub. */
export function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, words]) => slug(words!));
  const written = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id!);
  const own = headings.map((anchor) => {
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return new Set([...own, ...written]);
}

const slug = (words: string): string =>
  words
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");

const prose = (text: string): string => withoutBlocks(text).replaceAll(/(`+)[^`]+\1/g, "");

const withoutBlocks = (text: string): string => text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
