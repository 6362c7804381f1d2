// A dialect: how another product writes agents. It only says the same thing in our keys; what the keys mean, what fits
// them and what is wrong with them is decided once, for every file, by the same code.
//  T1  A translation never allows more than the file said: what it cannot express, it narrows or reports.
//  T2  It is pure: nothing is read, run or expanded.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";

/** A file that was read as data: front matter and body, or a whole TOML or JSON file with an empty body. */
export interface SourceFile {
  /** For people: as in every message. */
  file: string;
  /** Below the folder that was searched, with `/`: `core/reviewer.agent.md`. */
  below: string;
  keys: Readonly<Record<string, Data>>;
  body: string;
  document: YamlDocument;
}

export interface Translation {
  /** In our keys, as a person would have written them in a file of ours. */
  keys: Record<string, Data>;
  /** Which place of the file each of our keys stands for; absent: the key of the same name. */
  from: Readonly<Record<string, Path>>;
  /** The system prompt, unless it stands in `promptFile`. */
  body: string;
  /** A file with the prompt, relative to the agent's file and never outside its folder. */
  promptFile?: string;
  /** Keys that mean nothing here, kept as they were written. */
  extra: Record<string, Data>;
  problems: Problem[];
}

export interface Dialect {
  name: string;
  /** Where such files lie or how they are called; asked before the keys. `path` is the whole path, with `/`. */
  matchesPath?(path: string): boolean;
  /** Keys that only this product uses. */
  matchesKeys?(keys: Readonly<Record<string, Data>>): boolean;
  /** Usually one; a file of modes or roles holds several. */
  translate(source: SourceFile): Translation[];
}
