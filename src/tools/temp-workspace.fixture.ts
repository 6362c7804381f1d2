// A real temporary folder as the workspace, for the tests of tools.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolContext } from "./tool.ts";

export interface TempWorkspace extends AsyncDisposable {
  path: string;
  context(changes?: Partial<ToolContext>): ToolContext;
}

export async function tempWorkspace(): Promise<TempWorkspace> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "cadre-tools-")));
  return {
    path,
    context: (changes = {}) => ({
      workspace: path,
      runId: "r1",
      callId: "m1.0",
      attempt: 1,
      key: "r1:m1.0",
      nonce: () => "n0nce",
      signal: new AbortController().signal,
      ...changes,
    }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
