// A dialect translates another product's agent files into Cadre's keys.
// It does not interpret the keys: the same code checks and compiles them for every file.
//  T1  A translation never allows more than the file does. Rules that Cadre's keys cannot express are narrowed or reported.
//  T2  A translation is pure: it reads no file, runs nothing and expands no variable.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";

/** A parsed file: front matter and body, or a whole TOML or JSON file with an empty body. */
export interface SourceFile {
  /** The file's name in messages. */
  file: string;
  /** Path below the searched folder, with `/`: `core/reviewer.agent.md`. */
  below: string;
  keys: Readonly<Record<string, Data>>;
  body: string;
  document: YamlDocument;
}

export interface Translation {
  /** Cadre's keys, as a person would write them in a Cadre file. */
  keys: Record<string, Data>;
  /** The path of each Cadre key in the source file. Absent: the key of the same name. */
  from: Readonly<Record<string, Path>>;
  /** The system prompt, unless `promptFile` is set. */
  body: string;
  /** A file with the prompt, relative to the agent's file and never outside its folder. */
  promptFile?: string;
  /** Keys that mean nothing in Cadre, kept as written. */
  extra: Record<string, Data>;
  problems: Problem[];
}

export interface Dialect {
  name: string;
  /** Recognises the product by folder or file name, before any `matchesKeys`. `path` is the whole path, with `/`. */
  matchesPath?(path: string): boolean;
  /** Recognises the product by keys that no other product uses. */
  matchesKeys?(keys: Readonly<Record<string, Data>>): boolean;
  /** Usually returns one translation. A file of modes or roles gives several. */
  translate(source: SourceFile): Translation[];
}
