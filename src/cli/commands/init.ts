// `cadre init`: makes a folder a project. It adds what is not there and overwrites nothing, so it can be run again.

import { existsSync, lstatSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { nearest } from "../../config/problem.ts";
import { CadreError } from "../../errors.ts";
import { EXIT, type Invocation } from "../io.ts";
import { projectOf } from "../project.ts";
import { count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";
import { table } from "../view/table.ts";

interface Pack {
  name: string;
  /** The first heading of its README. */
  about: string;
  files: string[];
}

/** What was made, and what was there already and stays as it is; relative to the project. */
interface Made {
  created: string[];
  kept: string[];
}

export async function init(
  invocation: Invocation,
  { pack: wanted, list = false }: { pack?: string; list?: boolean },
): Promise<number> {
  const { folder } = invocation;
  const { builtinFolder } = projectOf(invocation);
  const packs = await packsIn(builtinFolder);
  if (list) return sayPacks(packs, invocation);
  const pack = wanted === undefined ? undefined : packNamed(packs, wanted);
  const made: Made = { created: [], kept: [] };
  if (pack) await copyPack(pack, { from: builtinFolder, folder, made });
  await writeNew(folder, "cadre.yaml", CONFIG, made);
  await ignoreOwnFolder(folder, made);
  return sayMade(made, pack, invocation);
}

async function packsIn(folder: string): Promise<Pack[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const inside = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
      const files = inside
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
      const readme = await readFile(join(folder, name, "README.md"), "utf8").catch(() => "");
      const about = /^# (?:[\w-]+: )?(.+)$/m.exec(readme)?.[1] ?? "";
      return { name, about, files: files.sort() };
    }),
  );
}

function packNamed(packs: readonly Pack[], name: string): Pack {
  const found = packs.find((pack) => pack.name === name.toLowerCase());
  if (found) return found;
  const names = packs.map((pack) => pack.name);
  const meant = nearest(name, names);
  const hint = meant ? ` Did you mean ${meant}?` : "";
  const message = `There is no pack ${name}.${hint} Packs: ${names.join(", ")}. Nothing was changed.`;
  throw new CadreError("USAGE", message);
}

async function copyPack(
  { files }: Pack,
  { from, folder, made }: { from: string; folder: string; made: Made },
): Promise<void> {
  for (const file of files) {
    const target = join(folder, "agents", file);
    const isThere = existsSync(target);
    made[isThere ? "kept" : "created"].push(`agents/${file}`);
    if (isThere) continue;
    await mkdir(dirname(target), { recursive: true });
    await cp(join(from, file), target, { force: false, errorOnExist: true });
  }
}

const CONFIG = `# Cadre. Everything here is optional; what is commented out shows the form.

# model: anthropic/claude-sonnet-4-5      # for agents that name none; without a provider's key a scripted model rehearses
# aliases: { fast: anthropic/claude-haiku-4-5 }
# limits: { maxDepth: 3, maxTurns: 20, tree: { maxCost: 5 } }
# permissions:
#   allow: [Read, "Bash(npm test)"]       # counts once this folder is trusted: cadre trust
#   ask: [Bash, Write, Edit]
#   deny: [WebSearch]
`;

async function writeNew(folder: string, file: string, text: string, made: Made): Promise<void> {
  const isThere = existsSync(join(folder, file));
  made[isThere ? "kept" : "created"].push(file);
  if (!isThere) await writeFile(join(folder, file), text, { flag: "wx" });
}

/** Runs and their journals are of this machine: nobody means to commit them. */
async function ignoreOwnFolder(folder: string, made: Made): Promise<void> {
  const file = join(folder, ".gitignore");
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A link that came with the folder would have a line written wherever it leads.
  if (found && !found.isFile()) {
    made.kept.push(".gitignore");
    return;
  }
  const before = await readFile(file, "utf8").catch(() => "");
  if (/^\/?\.cadre\/?\s*$/m.test(before)) {
    made.kept.push(".gitignore");
    return;
  }
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(file, `${before}${gap}.cadre/\n`);
  made.created.push(before === "" ? ".gitignore" : ".gitignore (a line for .cadre/)");
}

function sayPacks(packs: readonly Pack[], { json, screen, io, at }: Invocation): number {
  if (json) {
    screen.line(jsonLine(packs.map(({ name, about, files }) => ({ name, about, files }))));
    return EXIT.done;
  }
  const rows = packs.map(({ name, about, files }) => [
    screen.paint("bold", plainLine(name)),
    count(files.filter((file) => !/README\.md$/i.test(file)).length, "agent"),
    plainLine(about),
  ]);
  for (const line of table(rows, io.stdout.isTTY ? screen.columns : undefined)) screen.line(line);
  screen.line(`\nTake one: cadre${at} init --pack <pack>`);
  return EXIT.done;
}

function sayMade(made: Made, pack: Pack | undefined, { json, screen, at }: Invocation): number {
  const next = nextSteps(pack, at);
  if (json) {
    screen.line(jsonLine({ ...made, next }));
    return EXIT.done;
  }
  for (const file of made.created) screen.line(`${screen.paint("green", "created")}  ${plainLine(file)}`);
  for (const file of made.kept)
    screen.line(screen.paint("dim", `kept     ${plainLine(file)}, which was there already`));
  screen.line("\nNext:");
  for (const command of next) screen.line(`  ${command}`);
  return EXIT.done;
}

function nextSteps(pack: Pack | undefined, at: string): string[] {
  if (!pack) return [`cadre${at} init --list`, `cadre${at} run "what does this project do?"`];
  const agents = pack.files
    .filter((file) => !/README\.md$/i.test(file))
    .map((file) => file.replace(/\.md$/, ""));
  const first =
    agents.find((file) => /\/(supervisor|main|receptionist)$/.test(file)) ??
    agents.find((file) => /\/orchestrator$/.test(file)) ??
    agents[0] ??
    pack.name;
  return [`cadre${at} agents`, `cadre${at} agents explain ${first}`, `cadre${at} run ${first} "your task"`];
}
