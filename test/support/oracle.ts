// The effect oracle is a set of tools. Each tool only writes one line, synchronously, to a file outside the database.
// The file shows which effects really happened. Without it, no test would notice a repeated effect (FAULTS §1).

import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/tools/tool.ts";

export interface Effect {
  tool: string;
  runId: string;
  callId: string;
  attempt: number;
  pid: number;
  input: string;
}

export interface OracleHooks {
  before?(tool: string, what: string): Promise<void> | void;
  after?(tool: string, what: string): Promise<void> | void;
}

/** `look` only reads. `stamp` is idempotent: it writes one line for each key. `charge` is unsafe. */
export function oracleTools(file: string, hooks: OracleHooks = {}): AnyTool[] {
  const input = z.object({ what: z.string() });
  const act = (name: string, effect: "read" | "idempotent" | "unsafe") =>
    defineTool({
      name,
      description: `Does ${name}.`,
      input,
      effect,
      reaches: [],
      async execute({ what }, { runId, callId, attempt, key }) {
        await hooks.before?.(name, what);
        const done =
          effect === "idempotent" && effects(file).some((seen) => `${seen.runId}/${seen.callId}` === key);
        if (!done) write(file, { tool: name, runId, callId, attempt, pid: process.pid, input: what });
        await hooks.after?.(name, what);
        return { output: `${name} ${what}: done` };
      },
    });
  return [act("look", "read"), act("stamp", "idempotent"), act("charge", "unsafe")];
}

export function effects(file: string): Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect);
}

function write(file: string, effect: Effect): void {
  const handle = openSync(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_SYNC,
    0o600,
  );
  writeSync(handle, `${JSON.stringify(effect)}\n`);
  closeSync(handle);
}
