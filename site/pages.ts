// Which Markdown files of the repository are pages, where they stand on the site, and how one is written for it: front matter
// from its first heading, links to where the other pages are, pictures from Mermaid. Files stay where they are; nothing is
// copied into git.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pictureOf } from "./picture.ts";

export const ROOT = join(import.meta.dirname, "..");

export interface Page {
  /** In the repository. */
  source: string;
  /** On the site: `guide/hello`; empty: the first page. */
  slug: string;
  title: string;
  text: string;
}

const SOURCES = [
  "*.md",
  "docs/**/*.md",
  "examples/**/README.md",
  "agents/*/README.md",
  "bench/README.md",
  "deploy/**/*.md",
  "site/README.md",
];

export function readPages(): Page[] {
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ["**/node_modules", "examples/*/service"] });
  return sources.toSorted().map((source) => {
    const text = readFileSync(join(ROOT, source), "utf8");
    const [, heading = source] = /^# (.+)$/m.exec(text) ?? [];
    return { source, slug: slugOf(source), title: heading.replaceAll(/[`*]/g, ""), text };
  });
}

function slugOf(source: string): string {
  if (source === "README.md") return "";
  if (source === "docs/README.md") return "book";
  return source
    .replace(/^docs\//, "")
    .replace(/(\/README)?\.md$/, "")
    .toLowerCase();
}

/** The page as Starlight reads it. */
export function written(page: Page, pages: readonly Page[]): string {
  const body = page.text.replace(/^# .+\n/m, "");
  const parts = body.split(/^( *```[\s\S]*?^ *```$)/m);
  const content = parts.map((part) => (/^ *```/.test(part) ? blockOf(part) : linked(part, page, pages)));
  const front = { title: page.title, editUrl: false, ...(page.slug === "" ? { slug: "index" } : {}) };
  return `---\n${JSON.stringify(front)}\n---\n${content.join("")}`;
}

/** A picture, or code under the name of its file. */
function blockOf(fenced: string): string {
  const mermaid = /^```mermaid\n([\s\S]*)```$/.exec(fenced);
  if (mermaid) return pictureOf(mermaid[1]!);
  return fenced.replace(/^( *```\w+) file=(\S+)/, '$1 title="$2"');
}

/** Links to pages lead to them on the site; those to other files of the repository become their words. */
function linked(text: string, page: Page, pages: readonly Page[]): string {
  return text.replaceAll(
    /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
    (whole, mark: string, words: string, target: string) => {
      if (/^([a-z]+:|#)/i.test(target)) return whole;
      const [file, anchor] = target.split("#") as [string, string?];
      const path = normalize(join(dirname(page.source), file)).replace(/\/$/, "");
      if (mark === "!") return `![${words}](/${path.replace(/^docs\//, "")})`;
      const found = pages.find(({ source }) => source === path || source === `${path}/README.md`);
      if (!found) return words;
      const place = found.slug === "" ? "/" : `/${found.slug}/`;
      return `[${words}](${place}${anchor === undefined ? "" : `#${anchor}`})`;
    },
  );
}
