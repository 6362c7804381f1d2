// Loads an entry point of the package: the sources where they are, as in a clone, and otherwise what was built from them.
// It uses `require`, so that CommonJS programs can load the package: they cannot load a module that awaits.
// Old versions of Node can run this file, so they print a sentence and not a syntax error.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const WANTED = [24, 15];

export function load(name) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1]))
    throw new Error(
      `Cadre needs Node ${WANTED.join(".")} or newer. This is Node ${process.versions.node}. Nothing was started.`,
    );
  const sources = existsSync(new URL(`./src/${name}.ts`, import.meta.url));
  return createRequire(import.meta.url)(sources ? `./src/${name}.ts` : `./dist/${name}.js`);
}
