// Bundles Ink and React, for the terminal view, into two files instead of 45 dependencies. Their licences are next to them.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "vite";

const VENDORED = ["ink", "react"];
const ENTRY = "\0vendor:";

export async function vendor(dist: string): Promise<void> {
  const entries = await Promise.all(VENDORED.map(async (name) => [name, await reexport(name)] as const));
  await build({
    configFile: false,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [entriesOf(new Map(entries))],
    ssr: { noExternal: true, external: ["react-devtools-core", "ws"] },
    build: {
      ssr: true,
      outDir: join(dist, "vendor"),
      target: "esnext",
      license: { fileName: "third-party.md" },
      rolldownOptions: { input: Object.fromEntries(VENDORED.map((name) => [name, ENTRY + name])) },
    },
  });
  for (const file of globSync("**/*.js", { cwd: dist, exclude: ["vendor/**"] }))
    point(join(dist, file), dist);
}

/** Re-exports every name explicitly: the exports of a CommonJS module are known only at run time. */
async function reexport(name: string): Promise<string> {
  const names = Object.keys(await import(name)).filter((one) => !["default", "module.exports"].includes(one));
  return `export { ${names.join(", ")} } from ${JSON.stringify(name)};`;
}

const entriesOf = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: "vendor-entries",
  resolveId: (id) => (id.startsWith(ENTRY) ? id : null),
  load: (id) => (id.startsWith(ENTRY) ? texts.get(id.slice(ENTRY.length)) : null),
});

function point(file: string, dist: string): void {
  const before = readFileSync(file, "utf8");
  const after = before.replaceAll(/((?:from|import\() ?)"(ink|react)"/g, (_, lead: string, name: string) => {
    const way = relative(dirname(file), join(dist, "vendor", `${name}.js`)).replaceAll("\\", "/");
    return `${lead}"${way.startsWith(".") ? way : `./${way}`}"`;
  });
  if (after !== before) writeFileSync(file, after);
}
