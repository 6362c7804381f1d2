// Reads untrusted YAML as plain data, with a position for every value.
//  Y1  Nothing is evaluated: core schema, no tags, no merge keys.
//  Y2  Size, tokens and depth are limited while scanning, so that any input takes only milliseconds.
//      The library `yaml` has no such limits. It takes seconds for deeply nested documents and for documents with very many values.
//  Y3  Objects have no prototype, and `__proto__` is never a key.

import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
} from "yaml";
import type { Problem } from "./problem.ts";

export type Data = null | boolean | number | string | Data[] | { [key: string]: Data };
export type Path = readonly (string | number)[];

export interface YamlDocument {
  file: string;
  /** The parsed value. Null if nothing could be read. */
  data: Data;
  problems: Problem[];
  /** Keys that occur twice in the same mapping. Each of them is also a problem. */
  duplicateKeys?: readonly string[];
  /** Position of a value or its key. If the path does not exist, this is the position of its nearest parent. */
  at(path: Path, part?: "key" | "value"): { line: number; column: number };
}

/** Enough tokens for files written by hand. Callers raise the limit for a file with many modes or roles. */
const MAX_LEXEMES = 4_000;
const MAX_DEPTH = 32;
const MAX_NODES = 10_000;
const MAX_PROBLEMS = 20;

export interface YamlPlace {
  /** Line of the file on which the text starts. */
  line?: number;
  maxLexemes?: number;
}

export function readYaml(text: string, file: string, place: YamlPlace = {}): YamlDocument {
  const { line = 1, maxLexemes = MAX_LEXEMES } = place;
  const lines = new LineCounter();
  const reading: Reading = {
    faults: [],
    duplicateKeys: [],
    places: new Map(),
    nodes: 0,
    maxLexemes,
    anchors: new Map(),
  };
  const data = read(text, lines, reading);
  const positionOf = (offset: number) => {
    const found = lines.linePos(offset);
    return { line: Math.max(found.line, 1) + line - 1, column: Math.max(found.col, 1) };
  };
  return {
    file,
    data,
    duplicateKeys: reading.duplicateKeys,
    problems: reading.faults
      .slice(0, MAX_PROBLEMS)
      .map(({ offset, ...rest }) => ({ file, ...positionOf(offset), severity: "error", ...rest })),
    at(path, part = "value") {
      for (let length = path.length; length > 0; length--) {
        const found = reading.places.get(placeKey(path.slice(0, length)));
        if (found) return positionOf(part === "key" || length < path.length ? found.key : found.value);
      }
      return positionOf(0);
    },
  };
}

function read(text: string, lines: LineCounter, reading: Reading): Data {
  const document = compose(scan(text, lines, reading), text, reading);
  if (!document) return null;
  for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
    fault(reading, code, sentence(code, message), pos[0]);
  }
  if (reading.faults.length > 0) return null;
  return toData(reading, document.contents, [], 0);
}

/** Y2: scanning stops at the first exceeded limit, and the document is not parsed. */
function scan(text: string, lines: LineCounter, reading: Reading): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  const stop = (code: string, message: string, offset = parser.offset): CST.Token[] => {
    fault(reading, code, message, offset);
    return [];
  };
  let lexemes = 0;
  let previous = "";
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (lexeme.startsWith("!") && previous !== CST.SCALAR) {
      const message = "tags (`!name`) are not allowed; quote it if it is meant as text";
      return stop("YAML_TAG", message, parser.offset - lexeme.length);
    }
    previous = lexeme;
    if (++lexemes > reading.maxLexemes)
      return stop("YAML_TOO_LARGE", "too many entries to be a hand-written file");
    if (parser.stack.length > MAX_DEPTH)
      return stop("YAML_TOO_DEEP", `nested more than ${MAX_DEPTH} levels deep`);
  }
  return [...tokens, ...parser.end()];
}

function compose(tokens: CST.Token[], text: string, reading: Reading): Document.Parsed | undefined {
  if (reading.faults.length > 0) return undefined;
  const composer = new Composer({ schema: "core", merge: false, uniqueKeys: false, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (second) fault(reading, "MULTIPLE_DOCS", "a second document (`---`) is not read", second.range[0]);
  return document;
}

interface Fault {
  code: string;
  message: string;
  offset: number;
}

/** State that is kept while a document is read. */
interface Reading {
  faults: Fault[];
  duplicateKeys: string[];
  places: Map<string, { key: number; value: number }>;
  /** Number of nodes so far. Expanded aliases count as well, so that an alias bomb reaches the limit. */
  nodes: number;
  maxLexemes: number;
  /** Anchors by name. Cadre looks up aliases here, because `yaml` searches the whole document for each alias, which can take seconds. */
  anchors: Map<string, Node>;
}

function fault(reading: Reading, code: string, message: string, offset: number): void {
  reading.faults.push({ code, message, offset });
}

function toData(reading: Reading, node: Node | null, path: Path, depth: number): Data {
  const offset = node?.range?.[0] ?? 0;
  if (++reading.nodes > MAX_NODES || depth > MAX_DEPTH) {
    if (!reading.faults.some(({ code }) => code === "YAML_TOO_LARGE")) {
      fault(reading, "YAML_TOO_LARGE", "aliases (`*name`) grow this to more than a file may hold", offset);
    }
    return null;
  }
  if (node === null) return null;
  if ("anchor" in node && node.anchor) reading.anchors.set(node.anchor, node);
  if (isScalar(node)) return scalar(node.value);
  if (isAlias(node)) {
    const target = reading.anchors.get(node.source);
    if (target) return toData(reading, target, path, depth + 1);
    fault(reading, "BAD_ALIAS", `\`*${node.source}\` names nothing; quote it if it is meant as text`, offset);
    return null;
  }
  if (isMap(node)) return mapToData(reading, node.items as Pair[], path, depth);
  if (!isSeq(node)) return null;
  return (node.items as (Node | null)[]).map((item, index) => {
    const at = item?.range?.[0] ?? offset;
    const here = [...path, index];
    reading.places.set(placeKey(here), { key: at, value: at });
    return toData(reading, item, here, depth + 1);
  });
}

function mapToData(reading: Reading, items: Pair[], path: Path, depth: number): Data {
  const result: { [key: string]: Data } = Object.create(null);
  for (const { key, value } of items) {
    if (reading.nodes > MAX_NODES) break;
    const offset = key?.range?.[0] ?? 0;
    if (!isScalar(key)) {
      fault(reading, "BAD_KEY", "a key must be a plain word", offset);
      continue;
    }
    const name = String(key.value);
    if (name === "__proto__") fault(reading, "BAD_KEY", "`__proto__` is not allowed as a key", offset);
    else if (name in result) {
      reading.duplicateKeys.push(name);
      fault(reading, "DUPLICATE_KEY", `key \`${name}\` stands here twice`, offset);
    } else {
      const here = [...path, name];
      reading.places.set(placeKey(here), { key: offset, value: value?.range?.[0] ?? offset });
      result[name] = toData(reading, value, here, depth + 1);
    }
  }
  return result;
}

interface Pair {
  key: Node | null;
  value: Node | null;
}

const placeKey = (path: Path): string => JSON.stringify(path);

function scalar(value: unknown): Data {
  if (typeof value === "boolean" || typeof value === "string" || typeof value === "number") return value;
  return null;
}

/** Rewords the most common messages of `yaml` to say what to do. */
function sentence(code: string, message: string): string {
  if (code === "BLOCK_AS_IMPLICIT_KEY" || code === "MULTILINE_IMPLICIT_KEY") {
    return "a colon inside plain text looks like a key: put the whole value in quotes";
  }
  if (code === "TAB_AS_INDENT") return "a tab is used for indentation: use spaces";
  if (code === "BAD_ALIAS") return 'a value that starts with `*` must be quoted: "*"';
  const first = message.slice(0, 200);
  return first.charAt(0).toLowerCase() + first.slice(1);
}
