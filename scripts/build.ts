// `npm run build` makes the files that are published. The package needs JavaScript, because Node runs no TypeScript in node_modules.
// `npm run check` has already checked the types.
// `dist` has the same layout as `src`, so relative paths work in both.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { minifySync, parseSync } from "vite";
import { vendor } from "./vendor.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Public types refer to types of these folders, but no program uses them by name. */
const INTERNAL = ["loop", "stores"];

rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(`${root}/node_modules/.bin/tsc`, ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
cpSync(`${root}/src/tools/shell/supervisor.sh`, `${root}/dist/tools/shell/supervisor.sh`);
await vendor(`${root}/dist`);
keepPublicTypes(`${root}/dist`);
shorten(`${root}/dist`);
for (const folder of ["dist/vendor", "dashboard/dist"]) shortenLicences(`${root}/${folder}/third-party.md`);

/** Deletes the types that no entry point needs, and the indentation of those that people rarely read. */
function keepPublicTypes(dist: string): void {
  const needed = new Set<string>();
  const add = (file: string): void => {
    if (needed.has(file) || !existsSync(file)) return;
    needed.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g))
      add(join(dirname(file), name.replace(/\.[tj]s$/, ".d.ts")));
    if (!file.startsWith(join(dist, "library"))) writeFileSync(file, shortTypes(text, isInternal(file)));
  };
  const isInternal = (file: string): boolean =>
    INTERNAL.some((folder) => file.startsWith(join(dist, folder, "/")));
  for (const entry of ["index", "ai", "client", "testing"]) add(join(dist, `${entry}.d.ts`));
  for (const name of globSync("**/*.d.ts", { cwd: dist }))
    if (!needed.has(join(dist, name))) rmSync(join(dist, name));
}

/** Removes the indentation, names zod once instead of thousands of times, and removes the comments of internal types. */
function shortTypes(text: string, withoutComments: boolean): string {
  let short = text.replaceAll(/^ +/gm, "");
  if (withoutComments) short = short.replaceAll(/\/\*\*[\s\S]*?\*\/\n?/g, "");
  for (const [module, name] of [
    ["zod", "Z"],
    ["zod/v4/core", "ZC"],
  ]) {
    const repeated = `import("${module}").`;
    if (short.includes(repeated))
      short = `import type * as ${name} from "${module}";\n${short.replaceAll(repeated, `${name}.`)}`;
  }
  return short;
}

/** Removes comments and white space, and shortens local names. Functions and classes keep their names, for stack traces. */
function shorten(dist: string): void {
  for (const name of globSync("**/*.js", { cwd: dist })) {
    const file = join(dist, name);
    const isVendored = name.startsWith("vendor");
    const mangle = isVendored || { toplevel: true, keepNames: true };
    const { code, errors } = minifySync(file, readFileSync(file, "utf8"), {
      ...{ module: true, compress: isVendored, mangle, codegen: { removeWhitespace: true } },
    });
    if (errors.length > 0) throw new Error(`${name} could not be shortened: ${errors[0]!.message}`);
    writeFileSync(file, isVendored ? code : onLines(code));
  }
}

/** Puts each statement on a line of its own, because Node prints the source line of an uncaught error. */
function onLines(code: string): string {
  const starts = new Set<number>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, body, consequent } = node as { type?: string; body?: unknown; consequent?: unknown };
    const statements = type === "SwitchCase" ? consequent : body;
    if (Array.isArray(statements))
      for (const { start } of statements as { start: number }[]) starts.add(start);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync("code.js", code).program);
  const lines: string[] = [];
  let from = 0;
  for (const start of [...starts].toSorted((a, b) => a - b)) {
    lines.push(code.slice(from, start));
    from = start;
  }
  return [...lines, code.slice(from)].filter((line) => line !== "").join("\n");
}

/** Names another package instead of repeating the terms of its licence. Copyright lines stay with each package. */
function shortenLicences(file: string): void {
  const firstWith = new Map<string, string>();
  const sections = readFileSync(file, "utf8").split(/^(?=## )/m);
  const short = sections.map((section) => {
    const [, above = "", terms = ""] = /^(## [\s\S]*?)(^Permission [\s\S]+)$/m.exec(section) ?? [];
    const words = terms.replaceAll(/\s+/g, " ").trim();
    if (words === "") return section;
    const first = firstWith.get(words);
    if (first !== undefined) return `${above}The terms are those of ${first} above.\n\n`;
    const [, name = ""] = /^## (\S+)/.exec(section) ?? [];
    firstWith.set(words, name);
    return section;
  });
  writeFileSync(file, short.join(""));
}
