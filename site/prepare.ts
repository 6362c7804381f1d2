// Creates the pages that Starlight builds, and the sidebar. The guide's contents page determines the order of the guide.

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Page, ROOT, readPages, renderPage } from "./pages.ts";

interface Entry {
  label: string;
  link: string;
}

const HERE = import.meta.dirname;
const CONTENT = join(HERE, "src/content/docs");

const pages = readPages();
rmSync(CONTENT, { recursive: true, force: true });
for (const page of pages) {
  const path = join(CONTENT, `${page.slug === "" ? "index" : page.slug}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, renderPage(page, pages));
}
cpSync(join(ROOT, "docs/images"), join(HERE, "public/images"), { recursive: true });
cpSync(join(ROOT, "dashboard/public/favicon.svg"), join(HERE, "public/favicon.svg"));
writeFileSync(join(HERE, "src/sidebar.json"), `${JSON.stringify(sidebar(), null, 2)}\n`);
console.log(`${pages.length} pages.`);

function sidebar() {
  return [
    { label: "Start", items: entries(["README.md", "docs/README.md", "docs/guide/README.md"]) },
    ...guideGroups(),
    { label: "Examples", collapsed: true, items: below("examples/") },
    { label: "How it works", collapsed: true, items: below("docs/how/") },
    { label: "Recipes", collapsed: true, items: below("docs/recipes/") },
    {
      label: "Reference",
      collapsed: true,
      items: [...below("docs/reference/"), ...entries(["docs/api.md", "GLOSSARY.md", "SPEC.md"])],
    },
    {
      label: "Project",
      collapsed: true,
      items: entries([
        ...["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/features.md", "docs/faults.md"],
        ...["docs/decisions/README.md", "bench/README.md"],
      ]),
    },
  ];
}

/** One group for each heading of the guide's contents page, with the links below it. */
function guideGroups() {
  const { text, source } = pages.find((page) => page.source === "docs/guide/README.md")!;
  return text
    .split(/^## /m)
    .slice(1)
    .map((section, index) => {
      const [label, ...lines] = section.split("\n");
      const items = lines.flatMap((line) => {
        const [, number] = /^(\d+)\. /.exec(line) ?? [];
        return linksIn(line, source).map((entry, place) =>
          number !== undefined && place === 0 ? { ...entry, label: `${number}. ${entry.label}` } : entry,
        );
      });
      return { label, collapsed: index > 0, items };
    });
}

function linksIn(line: string, source: string): Entry[] {
  if (!/^(\d+\.|-) /.test(line)) return [];
  return [...line.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, words, target]) => ({
    label: words!.charAt(0).toUpperCase() + words!.slice(1),
    link: linkOf(pages.find((page) => page.source === join(dirname(source), target!))!),
  }));
}

function entries(sources: readonly string[]): Entry[] {
  return sources.map((source) => entryOf(pages.find((page) => page.source === source)!));
}

/** The pages of a folder: its contents page first, then the others in the order of the contents page. */
function below(folder: string): Entry[] {
  const own = pages.filter(({ source }) => source.startsWith(folder));
  const contents = own.find(({ source }) => source === `${folder}README.md`)!;
  const place = (page: Page): number =>
    page === contents ? -1 : contents.text.indexOf(`](${page.source.slice(folder.length)})`);
  return own.toSorted((a, b) => place(a) - place(b)).map(entryOf);
}

function entryOf(page: Page): Entry {
  return { label: page.title, link: linkOf(page) };
}

function linkOf({ slug }: Page): string {
  return slug === "" ? "/" : `/${slug}/`;
}
