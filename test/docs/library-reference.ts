// The page docs/reference/library.md: every name that a program can import, with its declaration and comments.

import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const ENTRIES = [
  ["cadre", "src/index.ts"],
  ["cadre/ai", "src/ai.ts"],
  ["cadre/client", "src/client.ts"],
  ["cadre/testing", "src/testing.ts"],
] as const;

export function libraryReference(): string {
  const sections = ENTRIES.map(([name, file]) => {
    const text = read(file);
    const [, about = ""] = /^\/\/ The public API [^:]*: (.+)$/m.exec(text) ?? [];
    const declarations = exportsOf(text).map(({ exported, original, from }) => {
      const declaration = declarationOf(original, posix.join(posix.dirname(file), from));
      return `### ${exported}\n\n\`\`\`ts\n${declaration}\n\`\`\`\n`;
    });
    return `## \`${name}\`\n\n${about.charAt(0).toUpperCase()}${about.slice(1)}\n\n${declarations.join("\n")}`;
  });
  return `# The library\n\nEvery name that a program can import. [The guide](../guide/embed.md) explains them.\n\n${sections.join("\n")}`;
}

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

function exportsOf(text: string) {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from "([^"]+)"/gm)];
  const all = lists.flatMap(([, names = "", from = ""]) =>
    names
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
      .map((name) => {
        const [original = "", exported = original] = name.split(" as ");
        return { original, exported, from };
      }),
  );
  return all.toSorted((a, b) => (a.exported.toLowerCase() < b.exported.toLowerCase() ? -1 : 1));
}

/** The declaration with its comment, and without the body of a function. */
function declarationOf(name: string, file: string): string {
  const source = read(file);
  const begin = new RegExp(
    `^export (?:async )?(interface|type|function\\*?|class|const) ${name}\\b`,
    "m",
  ).exec(source);
  if (!begin) {
    // The file only passes the name on.
    const from = new RegExp(`\\b${name}\\b[^;]*from "([^"]+)"`).exec(source)?.[1];
    if (from === undefined) throw new Error(`${file} does not declare ${name}.`);
    return declarationOf(name, posix.join(posix.dirname(file), from));
  }
  const [, kind = ""] = begin;
  const rest = source.slice(begin.index);
  const comment =
    /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?:\/\/.*\n)*$/.exec(source.slice(0, begin.index))?.[0] ?? "";
  const end =
    { interface: /^\}/m, class: /^\}/m }[kind] ?? (/function/.test(kind) ? /^.*(?<![(,:=|&] ?)\{$/m : /\n\n/);
  const match = end.exec(rest);
  const text = rest.slice(0, match ? match.index + match[0].length : undefined).trimEnd();
  return `${comment}${/function/.test(kind) ? text.replace(/ \{$/, ";") : text}`.replaceAll(
    /^\s*\/\/ biome-ignore.*\n/gm,
    "",
  );
}
