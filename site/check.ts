// Checks the built site: every link leads to an existing page and anchor, and no page loads anything from another host.

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DIST = join(import.meta.dirname, "dist");
const files = globSync("**/*.html", { cwd: DIST });
const anchors = new Map(files.map((file) => [file, new Set(attributes("id", html(file)))]));
const problems = files.flatMap((file) => [...brokenLinks(file), ...foreignResources(file)]);
for (const problem of problems) console.error(problem);
console.log(`${files.length} pages, ${problems.length} problems.`);
if (problems.length > 0) process.exitCode = 1;

function brokenLinks(file: string): string[] {
  return attributes("href", html(file)).flatMap((href) => {
    if (/^[a-z]+:/i.test(href)) return [];
    const [path, anchor] = decodeURI(href).split("#") as [string, string?];
    const target = path === "" ? file : path.replace(/^\//, "").replace(/(^|\/)$/, "$1index.html");
    if (!existsSync(join(DIST, target))) return [`${file}: ${href}: there is no such page`];
    const ids = anchors.get(target);
    return !anchor || !ids || ids.has(anchor) ? [] : [`${file}: ${href}: the page has no such anchor`];
  });
}

/** Resources of other hosts that a browser would load with the page. Links for readers are not loaded. */
function foreignResources(file: string): string[] {
  const text = html(file);
  const loaded = [
    ...attributes("src", text),
    ...[...text.matchAll(/<link\b[^>]*>/g)]
      .filter(([tag]) => /stylesheet|preload|icon/.test(tag))
      .flatMap(([tag]) => attributes("href", tag)),
    ...[...text.matchAll(/(?:url\(|@import\s+)["']?([^"')\s]+)/g)].map(([, url]) => url!),
  ];
  return loaded.filter((url) => /^(https?:)?\/\//.test(url)).map((url) => `${file}: loads ${url}`);
}

function html(file: string): string {
  return readFileSync(join(DIST, file), "utf8");
}

function attributes(name: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, value]) =>
    value!.replaceAll("&amp;", "&").replaceAll("&#38;", "&"),
  );
}
