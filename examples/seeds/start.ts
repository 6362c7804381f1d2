// Starts one of the five systems: `node examples/seeds/s0/main.ts`. Cadre serves a copy of the folder, so the example itself stays as it is.
// Arguments go to `cadre up`, for example `--port 0 --no-open --json`. `--model` also replaces the scripted model.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { main } from "../../src/cli/main.ts";
import { makeStage } from "../shared/stage.ts";

/** Serves the system in this folder until it is stopped. `addresses` replaces addresses in its cadre.yaml, for example that of a real Loki. `prepare` completes the copy of the folder. */
export async function start(
  source: string,
  addresses: Record<string, string> = {},
  prepare: (folder: string) => void = () => undefined,
): Promise<void> {
  const args = process.argv.slice(2);
  const { model } = parseArgs({ args, options: { model: { type: "string" } }, strict: false }).values;
  const { folder, env } = await makeStage(source, typeof model === "string" ? model : undefined);
  const file = join(folder, "cadre.yaml");
  let settings = await readFile(file, "utf8");
  for (const [written, used] of Object.entries(addresses)) settings = settings.replaceAll(written, used);
  await writeFile(file, settings);
  prepare(folder);
  const { stdin, stdout, stderr } = process;
  const { PATH, HOME } = process.env;
  const io = { stdin, stdout, stderr, cwd: folder, env: { PATH, HOME, ...env } };
  process.exitCode = await main(["up", "-C", folder, ...args], io);
}
