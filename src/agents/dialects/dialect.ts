// A dialect translates another product's agent files into Cadre's keys.
// A dialect does not interpret the translated keys. The same code checks and compiles the keys of every product.
//  T1  A translation never allows more than the file does. If Cadre cannot express a rule, the rule is narrowed or reported.
//  T2  A translation is pure: it reads no file, runs nothing and expands no variable.

import type { Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";

/** A parsed file: front matter and a body, or a whole TOML or JSON file with an empty body. */
export interface SourceFile {
  /** Name of the file in messages. */
  file: string;
  /** Path of the file below the searched folder, with `/` as separator: `core/reviewer.agent.md`. */
  below: string;
  keys: Readonly<Record<string, Data>>;
  body: string;
  document: YamlDocument;
}

export interface Translation {
  /** The translated keys, as a person would write them in a Cadre file. */
  keys: Record<string, Data>;
  /** The path of each Cadre key in the source file. A key without an entry has the same name in the source file. */
  from: Readonly<Record<string, Path>>;
  /** The system prompt, unless `promptFile` is set. */
  body: string;
  /** A file that contains the prompt. Its path is relative to the folder of the agent's file and stays inside that folder. */
  promptFile?: string;
  /** Keys that have no meaning in Cadre, kept as written. */
  extra: Record<string, Data>;
  problems: Problem[];
}

export interface Dialect {
  name: string;
  /** True if an agent without a list of tools may use every MCP server of the project. */
  inheritsServers?: true;
  /** Recognises the product by the whole path, with `/` as separator. `matchesKeys` is used only if no dialect matches the path. */
  matchesPath?(path: string): boolean;
  /** Recognises the product by keys that no other product uses. */
  matchesKeys?(keys: Readonly<Record<string, Data>>): boolean;
  /** Usually returns one translation. A file with several modes or roles gives several translations. */
  translate(source: SourceFile): Translation[];
}
