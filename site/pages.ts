// Turns Markdown files of the repository into pages of the site. A page gets front matter with its first heading as title, links
// to the other pages, and SVG instead of Mermaid diagrams. The converted pages are not committed.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pictureOf } from "./picture.ts";

export const ROOT = join(import.meta.dirname, "..");

export interface Page {
  /** Path in the repository. */
  source: string;
  /** Path on the site, such as `guide/hello`; empty for the first page. */
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

/** Converts a page to the format that Starlight reads. */
export function renderPage(page: Page, pages: readonly Page[]): string {
  const body = page.text.replace(/^# .+\n/m, "");
  const parts = body.split(/^( *```[\s\S]*?^ *```$)/m);
  const content = parts.map((part) =>
    /^ *```/.test(part) ? renderBlock(part) : renderLinks(part, page, pages),
  );
  const front = { title: page.title, editUrl: false, ...(page.slug === "" ? { slug: "index" } : {}) };
  return `---\n${JSON.stringify(front)}\n---\n${content.join("")}`;
}

/** Turns a Mermaid block into a picture. Other code gets the name of its file as title. */
function renderBlock(fenced: string): string {
  const mermaid = /^```mermaid\n([\s\S]*)```$/.exec(fenced);
  if (mermaid) return pictureOf(mermaid[1]!);
  return fenced.replace(/^( *```\w+) file=(\S+)/, '$1 title="$2"');
}

/** Points links at the pages of the site. A link to any other file of the repository becomes plain text. */
function renderLinks(text: string, page: Page, pages: readonly Page[]): string {
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
