// Says in red, once, that commands of agents run without a sandbox on this machine. `cadre doctor` says it every time.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { userFolder } from "../../config/trust.ts";
import { noSandboxSentence } from "../../runtime/checks/sandbox.ts";
import type { Invocation } from "../invocation.ts";
import { createScreen } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";

export async function warnWithoutSandbox(invocation: Invocation): Promise<void> {
  if (invocation.json) return;
  printOnce(await noSandboxSentence(invocation.folder, invocation.io.env), invocation);
}

/** Prints the sentence if this user has not read it yet. When a sandbox works again, the sentence is forgotten. */
export function printOnce(
  sentence: string | undefined,
  { io, plain }: Pick<Invocation, "io" | "plain">,
): void {
  const readMark = join(userFolder(io.env), "no-sandbox");
  if (sentence === undefined) forget(readMark);
  if (sentence === undefined || existsSync(readMark)) return;
  const screen = createScreen(io.stderr, io.env, plain);
  for (const line of fitLines([`cadre: ${sentence}`], screen)) screen.line(screen.paint("red", line));
  try {
    mkdirSync(dirname(readMark), { recursive: true, mode: 0o700 });
    writeFileSync(readMark, "");
  } catch {
    // The sentence is printed again next time.
  }
}

function forget(readMark: string): void {
  try {
    rmSync(readMark, { force: true });
  } catch {}
}
