// Starts one of the five systems: `node examples/seeds/s0/main.ts`. Cadre serves a copy of the folder, so the example itself stays as it is.
// Arguments go to `cadre up`, for example `--port 0 --no-open --json`. `--model` also replaces the scripted model, and
// `--real` takes the models that the comments in cadre.yaml name.

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
  const options = { model: { type: "string" }, real: { type: "boolean" } } as const;
  const { model, real } = parseArgs({ args, options, strict: false }).values;
  const { folder, env } = await makeStage(
    source,
    typeof model === "string" ? model : undefined,
    real === true,
  );
  const file = join(folder, "cadre.yaml");
  let settings = await readFile(file, "utf8");
  for (const [written, used] of Object.entries(addresses)) settings = settings.replaceAll(written, used);
  await writeFile(file, settings);
  prepare(folder);
  const launcher = join(folder, "../cadre");
  await writeFile(launcher, launcherScript(launcher, folder, env), { mode: 0o755 });
  if (!args.includes("--json")) process.stdout.write(`The command line of this system: ${launcher}\n\n`);
  const { stdin, stdout, stderr } = process;
  const { PATH, HOME } = process.env;
  const io = { stdin, stdout, stderr, cwd: folder, env: { PATH, HOME, ...env }, launcher };
  process.exitCode = await main(["up", "-C", folder, ...args.filter((word) => word !== "--real")], io);
}

/** A script that runs `cadre` in the folder, with the folder's own user settings and trust. API keys come from the shell that calls it. */
function launcherScript(
  launcher: string,
  folder: string,
  { XDG_CONFIG_HOME = "" }: Record<string, string | undefined>,
): string {
  const program = join(import.meta.dirname, "cadre.ts");
  const command = [process.execPath, program, launcher, "-C", folder].map(quoted).join(" ");
  return `#!/bin/sh\nCADRE_TRUST=1 XDG_CONFIG_HOME=${quoted(XDG_CONFIG_HOME)} exec ${command} "$@"\n`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
