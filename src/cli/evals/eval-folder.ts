// What is kept of an eval, in `.cadre/evals/<name>`: the one under way, every result, and which of them is the baseline.
//  EV1  An eval has its id on disk before its first run is started, and the id is in the key of every run: the same command
//       after a crash goes on with the same runs, and nothing that has ended is paid for again.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CadreError, describeSystemError } from "../../errors.ts";
import type { Case } from "./eval-file.ts";
import type { Rate } from "./rates.ts";

export interface Spent {
  cost: number;
  /** Calls whose price is unknown: `cost` is then a lower bound. */
  unpriced: number;
  tokens: number;
}

export interface Repeat {
  runId: string;
  passed: boolean;
  /** What was not as expected, a sentence each. */
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
  /** Under way. `of`: a hash of everything that makes its results comparable with each other. */
  current?: { id: string; of: string };
  /** The id of a result. */
  baseline?: string;
}

export interface EvalFolder {
  /** The id of the eval under way, or of a new one; `resumed` where there was one. */
  begin(of: string): Promise<{ id: string; resumed: boolean }>;
  /** A folder of its own for a run, with copies of the files that its case names; its name for the API. */
  workspace(id: string, place: string, files: NonNullable<Case["files"]>): Promise<string>;
  baseline(): Promise<EvalResult | undefined>;
  /** Keeps a result; it is the baseline if there is none yet, or if that is asked for. */
  finish(result: EvalResult, isBaseline: boolean): Promise<void>;
}

/** `dir`: the project's state; `path`: the eval's file. */
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
  /** Whole or not at all. */
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
      // Runs of one that was left may still be at work in theirs.
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

/** What a crash left half copied is copied again; what a run works in is left alone. */
async function copyOnce(files: readonly string[], from: string, target: string): Promise<void> {
  if (existsSync(target)) return;
  const part = `${target}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  for (const file of files) await cp(resolve(from, file), resolve(part, file), { recursive: true });
  await rename(part, target);
}
