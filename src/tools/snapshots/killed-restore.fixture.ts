// Restores one workspace and kills its own process at the given change of the file system. Arguments: the workspace, the steps as JSON, and the number.

import { createRequire, syncBuiltinESMExports } from "node:module";

const [, , root, json, at] = process.argv as unknown as [string, string, string, string, string];
const files = createRequire(import.meta.url)("node:fs/promises") as Record<string, unknown>;
let left = Number(at);
for (const name of ["link", "mkdir", "rename", "rmdir", "symlink"]) {
  const real = files[name] as (...args: unknown[]) => unknown;
  files[name] = (...args: unknown[]) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
const { createWorkspaceFiles } = await import("./workspace-files.ts");
const { restore } = createWorkspaceFiles({
  dir: `${root}/.cadre`,
  mask: {
    text: (text) => text,
    lines: (text) => text,
    value: (value) => value,
    once: (given) => given,
    stream: () => ({ add() {}, end() {} }),
    values: () => [],
    refresh() {},
  },
  clock: { now: () => Date.now() },
  holdsKeys: () => false,
  isProtected: () => false,
  putFile: async () => "",
});
await restore(root, JSON.parse(json), { note: "", bytesOf: async (blob) => Buffer.from(`bytes of ${blob}`) });
