// Sets up an example: copies its folder and chooses the model.
// Cadre's user settings go to a separate folder, so that the user's own settings stay untouched.

import { cp, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ENVIRONMENT } from "./environment.ts";

export interface Stage {
  folder: string;
  env: Record<string, string | undefined>;
}

/** Files about the example that the agents should not see. */
const NOT_OF_THE_PROJECT = /^(\.cadre|main\.ts|README\.md)$|\.(test|fixture)\.ts$/;

/** `model` replaces every scripted model. `real` takes the models that the comments in cadre.yaml name. */
export async function makeStage(source: string, model: string | undefined, real = false): Promise<Stage> {
  const name = basename(source);
  const root = await realpath(await mkdtemp(join(tmpdir(), `cadre-${name}-`)));
  const folder = join(root, name);
  await cp(source, folder, { recursive: true, filter: (path) => !NOT_OF_THE_PROJECT.test(basename(path)) });
  if (model !== undefined) await replaceModel(folder, model);
  if (real) {
    const file = join(folder, "cadre.yaml");
    await writeFile(file, withRealModels(await readFile(file, "utf8")));
  }
  // Passes API keys to Cadre only if the user chose another model. Otherwise the example must cost nothing.
  const keys = model === undefined && !real ? {} : process.env;
  return { folder, env: { ...keys, ...ENVIRONMENT, XDG_CONFIG_HOME: join(root, "config") } };
}

/** Replaces each scripted model by the model in its comment. The default model is left out. */
export const withRealModels = (settings: string): string =>
  settings.replace(/^model: scripted\/.*\n/m, "").replace(/scripted\/\S+ # real: /g, "");

async function replaceModel(folder: string, model: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/(^|\/)cadre\.yaml$|^agents\/.*\.md$/.test(name)) continue;
    const path = join(folder, name);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(/(^model: |: (?=scripted\/\S+ # real))scripted\/\S+/gm, `$1${model}`));
  }
}
