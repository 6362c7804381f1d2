// Writes the files of `cadre init`. Existing files are never overwritten.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXAMPLE_MODEL, type KeyedModel } from "../../project/project.ts";

/** The created files, and the files that already existed and were kept. Paths are relative to the project. */
export interface WrittenFiles {
  created: string[];
  kept: string[];
}

/** Copies `files` from one folder to another under the same names. */
export async function copyNewFiles(
  files: readonly string[],
  { from, folder, below = "" }: { from: string; folder: string; below?: string },
  made: WrittenFiles,
): Promise<void> {
  for (const file of files) {
    const name = `${below}${file}`;
    const target = join(folder, name);
    const isThere = existsSync(target);
    made[isThere ? "kept" : "created"].push(name);
    if (isThere) continue;
    await mkdir(dirname(target), { recursive: true });
    await cp(join(from, file), target, { force: false, errorOnExist: true });
  }
}

export async function writeNewFile(
  folder: string,
  file: string,
  text: string,
  made: WrittenFiles,
): Promise<void> {
  const isThere = existsSync(join(folder, file));
  made[isThere ? "kept" : "created"].push(file);
  if (!isThere) await writeFile(join(folder, file), text, { flag: "wx" });
}

/** Adds `.cadre/` to .gitignore: runs and their journals belong to this machine and should not be committed to git. */
export async function ignoreStateFolder(folder: string, made: WrittenFiles): Promise<void> {
  const file = join(folder, ".gitignore");
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A symbolic link might have come with the folder, so we write nothing through it.
  const isWritable = !found || found.isFile();
  const before = isWritable ? await readFile(file, "utf8").catch(() => "") : "";
  if (!isWritable || /^\/?\.cadre\/?\s*$/m.test(before)) {
    made.kept.push(".gitignore");
    return;
  }
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(file, `${before}${gap}.cadre/\n`);
  made.created.push(before === "" ? ".gitignore" : ".gitignore (a line for .cadre/)");
}

/** The text of the project's first cadre.yaml. If no API key was found, `keyed` is undefined and the scripted model plays `script`. */
export function configText(keyed: KeyedModel | undefined, script: string | undefined): string {
  return `# Cadre. Everything here is optional; commented lines show the format.

# The model of agents that name none: any provider/model, also of your own server (\`providers\`).
${modelLine(keyed, script)}
# providers:                              # takes effect once this folder is trusted: cadre trust
#   local: { type: openai-compatible, baseURL: "http://127.0.0.1:8000/v1" } # then write local/name-of-model
# aliases: { fast: anthropic/claude-haiku-4-5 }
# limits: { maxDepth: 3, maxTurns: 20, tree: { maxCost: 5 } }
# permissions:
#   allow: [Read, "Bash(npm test)"]       # takes effect once this folder is trusted: cadre trust
#   ask: [Bash, Write, Edit]
#   deny: [WebSearch]
`;
}

function modelLine(keyed: KeyedModel | undefined, script: string | undefined): string {
  if (keyed) return `model: ${keyed.model} # ${keyed.key} was found in the environment`;
  if (script === undefined)
    return `# model: ${EXAMPLE_MODEL} # without a provider's key a scripted model rehearses`;
  return `model: scripted/${script} # no provider's key was found: ${script}.script.yaml plays. With one, write ${EXAMPLE_MODEL}`;
}
