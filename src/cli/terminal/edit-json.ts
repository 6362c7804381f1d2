// Lets a person edit a value as JSON: in their editor, or on one line if no editor is configured.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CadreError, messageOf } from "../../errors.ts";
import type { Screen } from "../view/screen.ts";
import { jsonLine } from "../view/text/plain.ts";
import type { Keys } from "./keys.ts";

export interface EditorContext {
  env: Readonly<Record<string, string | undefined>>;
  keys: Keys;
  screen: Pick<Screen, "suspend">;
}

/** The last text that the person entered and Cadre refused. */
export interface Draft {
  text: string | undefined;
}

/** Returns undefined if the value was not changed. */
export async function editJson(
  value: unknown,
  draft: Draft,
  { env, keys, screen }: EditorContext,
  signal: AbortSignal,
): Promise<unknown> {
  const editor = env["VISUAL"] || env["EDITOR"];
  const before = editor ? JSON.stringify(value, null, 2) : jsonLine(value);
  const begun = draft.text ?? before;
  const after = editor
    ? await editInEditor(begun, editor, { screen, signal })
    : await keys.readLine("Input as JSON: ", signal, begun);
  if (after.trim() === "" || after.trim() === before) return undefined;
  draft.text = after.trimEnd();
  return parseInput(after);
}

export function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CadreError("USAGE", `This is not JSON (${messageOf(error)}). Nothing was decided.`);
  }
}

async function editInEditor(
  text: string,
  editor: string,
  { screen, signal }: { screen: Pick<Screen, "suspend">; signal: AbortSignal },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cadre-edit-"));
  const file = join(folder, "input.json");
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    const release = screen.suspend();
    await runEditor(editor, file, signal).finally(release);
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The editor can be a command with flags (`code --wait`), so a shell parses the command. The file is a separate argument. */
function runEditor(editor: string, file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", signal });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) return resolve();
      reject(new CadreError("USAGE", `The editor ended with ${code ?? "a signal"}. Nothing was decided.`));
    });
  });
}
