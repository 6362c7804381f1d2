// Builds the web page from the current sources, so that browser tests never use an outdated build.

import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = [
  "dashboard/{src,public}/**/*",
  "dashboard/*.{ts,html,json}",
  "src/{config,journal,patterns,projections,api}/**/*.ts",
];

export function setup(): void {
  const newest = Math.max(...globSync(SOURCES, { cwd: ROOT }).map(changedAt));
  if (changedAt("dashboard/dist/index.html") > newest) return;
  execFileSync("npm", ["run", "--silent", "build:page"], {
    cwd: ROOT,
    stdio: "inherit",
    // This is the production build that users get. The test runner's NODE_ENV would select React's development build.
    env: { ...process.env, NODE_ENV: "production" },
  });
}

function changedAt(path: string): number {
  return statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
