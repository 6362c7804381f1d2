// The files of an eval in `.cadre/evals/<name>`: the eval in progress, every result, and the id of the baseline result.
//  EV1  The id of an eval is on disk before its first run starts, and the key of every run contains this id.
//       After a crash, the same command therefore continues the same runs, and no ended run is paid for again.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CadreError, describeSystemError } from "../../errors.ts";
import type { Case } from "./eval-file.ts";
import type { Rate } from "./rates.ts";

export interface Spent {
  cost: number;
  /** Number of calls whose price is unknown. If it is above 0, `cost` is a lower bound. */
  unpriced: number;
  tokens: number;
}

export interface Repeat {
  runId: string;
  passed: boolean;
  /** The expectations that were not met, one sentence each. */
  failures: string[];
  spent: Spent;
  judge?: { runId: string; pass: boolean; why: string; spent: Spent };
}

export interface CaseResult extends Rate {
  name: string;
  repeats: Repeat[];
}

export interface EvalResult {
  id: string;
  at: number;
  agent: string;
  cases: CaseResult[];
}

interface State {
  /** The eval in progress. `of` is its fingerprint. Only results with the same fingerprint are comparable. */
  current?: { id: string; of: string };
  /** Id of the result that is the baseline. */
  baseline?: string;
}

export interface EvalFolder {
  /** Starts an eval, or continues the eval in progress if it has the same fingerprint. `resumed` says which of the two happened. */
  begin(of: string): Promise<{ id: string; resumed: boolean }>;
  /** Creates a folder for a run to work in, with copies of the case's files. Returns the folder's name for the API. */
  workspace(id: string, place: string, files: NonNullable<Case["files"]>): Promise<string>;
  baseline(): Promise<EvalResult | undefined>;
  /** Saves a result. The result becomes the baseline if there is no baseline yet, or if `isBaseline` is set. */
  finish(result: EvalResult, isBaseline: boolean): Promise<void>;
}

/** `dir` is the project's state folder; `path` is the eval file. */
export function openEvalFolder(dir: string, name: string, path: string): EvalFolder {
  const folder = join(dir, "evals", name);
  const read = async <T>(file: string): Promise<T | undefined> => {
    try {
      return JSON.parse(await readFile(join(folder, file), "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new CadreError(
        "USAGE",
        `${join(folder, file)} cannot be read: ${describeSystemError(error)}. Nothing was started.`,
      );
    }
  };
  /** Writes the file atomically, by renaming a temporary file. */
  const write = async (file: string, value: unknown): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${file}.part`), `${JSON.stringify(value, null, 2)}\n`, { flush: true });
    await rename(join(folder, `${file}.part`), join(folder, file));
  };
  const state = async (): Promise<State> => (await read<State>("state.json")) ?? {};
  const work = (id: string): string => join(folder, "work", id);
  return {
    async begin(of) {
      const { current, ...rest } = await state();
      if (current?.of === of) return { id: current.id, resumed: true };
      const id = randomBytes(8).toString("hex");
      // The folders of an abandoned eval are kept, because its runs might still be working in them.
      if (!current) await rm(join(folder, "work"), { recursive: true, force: true });
      await write("state.json", { ...rest, current: { id, of } });
      return { id, resumed: false };
    },
    async workspace(id, place, files) {
      const target = join(work(id), place);
      await copyOnce(files, dirname(path), target);
      return `${name}/work/${id}/${place}`;
    },
    async baseline() {
      const { baseline } = await state();
      return baseline === undefined ? undefined : read<EvalResult>(`${baseline}.json`);
    },
    async finish(result, isBaseline) {
      await write(`${result.id}.json`, result);
      const { current: _, baseline = result.id } = await state();
      await write("state.json", { baseline: isBaseline ? result.id : baseline });
    },
  };
}

/** Copies the files, unless the folder already exists: a run might be working in it. A crash leaves no half-filled folder behind. */
async function copyOnce(files: readonly string[], from: string, target: string): Promise<void> {
  if (existsSync(target)) return;
  const part = `${target}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  for (const file of files) await cp(resolve(from, file), resolve(part, file), { recursive: true });
  await rename(part, target);
}
