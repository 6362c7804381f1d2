// Tests start some programs hundreds of times. This module bundles each of those programs into a few files.
// Loading a thousand separate modules would take longer than most tests.
// A bundle behaves like the sources, and each module still finds the files next to its source.

import { globSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import { PROGRAM_FOLDER, type Program, programPath } from "../support/programs.ts";
import { train } from "./train.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START = `${ROOT}/test/bundle/start.cjs`;
const PROGRAMS: Record<Program, string> = {
  cadre: `${ROOT}/test/bundle/cadre.ts`,
  "crash-child": `${ROOT}/test/crash/child.ts`,
  "fleet-worker": `${ROOT}/test/fleet/worker.ts`,
  "scale-worker": `${ROOT}/test/scale/worker-process.ts`,
};
const SOURCES = ["src/**/*.ts", "test/{bundle,crash,fleet,scale,support}/**/*.{ts,cjs}", "package-lock.json"];

export async function setup(): Promise<void> {
  const newest = Math.max(...globSync(SOURCES, { cwd: ROOT }).map((path) => changedAt(ROOT + path)));
  if ((Object.keys(PROGRAMS) as Program[]).every((name) => changedAt(programPath(name)) > newest)) return;
  await build({
    configFile: false,
    root: ROOT,
    logLevel: "error",
    plugins: [keepingInk, keepingPlaces],
    ssr: { noExternal: true, external: ["@vscode/ripgrep", "@anthropic-ai/sandbox-runtime"] },
    build: {
      ssr: true,
      outDir: PROGRAM_FOLDER,
      emptyOutDir: true,
      target: "esnext",
      minify: false,
      rolldownOptions: {
        input: PROGRAMS,
        output: { format: "cjs", entryFileNames: "[name].main.cjs", chunkFileNames: "[name]-[hash].cjs" },
      },
    },
  });
  for (const name of Object.keys(PROGRAMS) as Program[])
    writeFileSync(
      programPath(name),
      `require(${JSON.stringify(START)}).start(__dirname, "./${name}.main.cjs");\n`,
    );
  await train();
}

/** Leaves Ink out of the bundle: it uses top-level await, which only works in an ES module. */
const keepingInk: Plugin = {
  name: "keeping-ink",
  enforce: "pre",
  resolveId: (source) =>
    source === "./ink.ts"
      ? { id: pathToFileURL(`${ROOT}src/cli/view/live/ink.ts`).href, external: true }
      : null,
};

const keepingPlaces: Plugin = {
  name: "keeping-places",
  transform: (code, id) =>
    id.startsWith(ROOT) && !id.includes("/node_modules/") && code.includes("import.meta.url")
      ? { code: code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)), map: null }
      : null,
};

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
