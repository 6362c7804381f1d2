// A draft is the state of an agent after its file was read and before its definition is compiled.
// A draft has Cadre's keys, even if the file was written for another product. Each key has its position in the file.
// One file can contain several drafts.

import { hasErrors, type Problem } from "../../config/problem.ts";
import type { Data, Path, YamlDocument } from "../../config/yaml.ts";
import type { Definition } from "../../journal/definition.ts";
import type { Agent } from "../agent.ts";
import { fullName, type NameSource } from "../compile/names.ts";
import type { Dialect, Translation } from "../dialects/dialect.ts";
import { dialectNames, dialectOf } from "../dialects/index.ts";
import { isDataFile } from "./data-file.ts";
import type { ParsedAgent } from "./parse.ts";

export interface Draft extends Pick<Agent, "name" | "file" | "scope" | "dialect"> {
  /** Hash of the file's text. */
  hash: string;
  /** The keys of a Cadre file, or the keys that the dialect translated. */
  keys: Readonly<Record<string, Data>>;
  from: Translation["from"];
  body: string;
  bodyLine: number;
  promptFile?: string;
  steps?: Definition["steps"];
  document: YamlDocument;
  problems: Problem[];
}

export interface DraftFile {
  file: string;
  drafts: Draft[];
  /** The reason why the file has no draft. */
  skipped?: Problem;
}

export interface DraftSource extends NameSource, Pick<Draft, "scope" | "hash"> {
  /** Path of the file, with `/` as separator. It shows which product the file was written for. */
  path: string;
}

/** Creates the drafts of a parsed file. The list is empty if the file has data that does not describe an agent. */
export function createDrafts(parsed: ParsedAgent, place: DraftSource): Draft[] {
  const { frontmatter, document, file } = parsed;
  const override = typeof frontmatter["dialect"] === "string" ? frontmatter["dialect"] : undefined;
  if (override !== undefined && !dialectNames.includes(override)) {
    return [
      { ...cadreDraft(parsed, place), problems: [...parsed.problems, unknownDialect(document, override)] },
    ];
  }
  const dialect = dialectOf(place.path, frontmatter, override);
  // A file with errors is not translated. It could contain values that make parsing its rules very slow.
  if (hasErrors(parsed.problems))
    return [{ ...cadreDraft(parsed, place), keys: {}, dialect: dialect?.name ?? "cadre" }];
  if (dialect) return translateDrafts(dialect, parsed, place);
  return isDataFile(file) ? [] : [cadreDraft(parsed, place)];
}

export function translateDrafts(dialect: Dialect, parsed: ParsedAgent, place: DraftSource): Draft[] {
  const { file, document, frontmatter: keys, body } = parsed;
  const translations = dialect.translate({ file, below: place.below, keys, body, document });
  return translations.map((translation, index) => ({
    ...draftBase(parsed, place),
    ...translation,
    name: fullName(givenName(translation.keys), place),
    dialect: dialect.name,
    problems: [...(index === 0 ? parsed.problems : []), ...translation.problems],
  }));
}

export function cadreDraft(parsed: ParsedAgent, place: DraftSource): Draft {
  const name = fullName(givenName(parsed.frontmatter), place);
  return { ...draftBase(parsed, place), name, dialect: "cadre", keys: parsed.frontmatter, from: {} };
}

function draftBase({ file, body, bodyLine, document, problems }: ParsedAgent, { scope, hash }: DraftSource) {
  return { file, scope, hash, body, bodyLine, document, problems };
}

function givenName(keys: Readonly<Record<string, Data>>): string | undefined {
  const name = keys["name"];
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

function unknownDialect(document: YamlDocument, name: string): Problem {
  const { file } = document;
  const message = `\`dialect: ${name}\` is not known: known are ${dialectNames.join(", ")}`;
  return { file, ...document.at(["dialect"]), code: "UNKNOWN_DIALECT", severity: "error", message };
}

/** Adds an error at one of the draft's keys, so that the draft is broken. */
export function withError(
  draft: Draft,
  key: string,
  problem: Omit<Problem, "file" | "line" | "column" | "severity">,
): Draft {
  const { file } = draft;
  const place = draftDocument(draft).at([key]);
  return { ...draft, problems: [...draft.problems, { file, ...place, severity: "error", ...problem }] };
}

/** Path of one of the keys in the file. `hasOwn` is needed because a key can be named `constructor`. */
export function keyPath(from: Draft["from"], key: string): Path {
  return (Object.hasOwn(from, key) ? from[key] : undefined) ?? [key];
}

/** Returns the draft's keys as a document. Positions point to the keys in the file. */
export function draftDocument({ file, keys, from, document }: Draft): YamlDocument {
  const at = ([key, ...rest]: Path, part?: "key" | "value") =>
    document.at(key === undefined ? [] : [...keyPath(from, String(key)), ...rest], part);
  return { file, data: keys as Record<string, Data>, problems: [], at };
}
