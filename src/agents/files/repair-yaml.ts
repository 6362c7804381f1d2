// Repairs front matter that is not valid YAML. The reason is nearly always a colon in a description.
// The text is split where a key begins, and each field is parsed alone. A field that still fails is read as plain text.
//  - A field that restricts the agent is never repaired. If it is broken, the whole front matter stays broken.

import { hasErrors, type Problem } from "../../config/problem.ts";
import { type Data, type Path, readYaml, type YamlDocument } from "../../config/yaml.ts";
import { GATE_KEYS, KNOWN_KEYS, PROSE_KEYS } from "./known-keys.ts";

/** Returns the broken document unchanged if no repair is safe. `line` is the line of the file on which the text starts. */
export function repairYaml(yaml: string, broken: YamlDocument, line: number): YamlDocument {
  if (isBeyondRepair(broken)) return broken;
  const fields = splitFields(yaml, line);
  if (!fields) return broken;
  const data: Record<string, Data> = Object.create(null);
  const read = new Map<string, YamlDocument>();
  const problems: Problem[] = [];
  for (const field of fields) {
    const document = readField(field, broken.file);
    if (!document) return broken;
    problems.push(...document.problems);
    const value = (document.data as Record<string, Data>)[field.key];
    if (value === undefined) return broken;
    data[field.key] = value;
    read.set(field.key, document);
  }
  return {
    file: broken.file,
    data,
    problems: problems.length > 0 ? problems : [wholeNote(broken)],
    at: (path, part) => read.get(String(path[0]))?.at(path, part) ?? { line, column: 1 },
  };
}

/** Whether the input is dangerous, too large or contradictory, so that it must not be repaired. */
const isBeyondRepair = ({ problems, duplicateKeys = [] }: YamlDocument): boolean =>
  duplicateKeys.some((key) => KNOWN_KEYS.has(key)) || problems.some(({ code }) => FINAL_CODES.has(code));

const FINAL_CODES = new Set(["YAML_TAG", "YAML_TOO_LARGE", "YAML_TOO_DEEP", "BAD_KEY"]);

interface Field {
  key: string;
  lines: string[];
  line: number;
}

function splitFields(yaml: string, first: number): Field[] | undefined {
  const fields: Field[] = [];
  const seen = new Set<string>();
  for (const [index, text] of yaml.split("\n").entries()) {
    const key = /^([A-Za-z_][\w-]*)[ \t]*:(?=[ \t]|$)/.exec(text)?.[1];
    const current = fields.at(-1);
    const begins = key !== undefined && (KNOWN_KEYS.has(key) || !current || !PROSE_KEYS.has(current.key));
    // A quoted key would be read as part of the text before it. If the key restricts the agent, the restriction would be lost.
    const quotedKey = /^(?:["']([\w-]+)["'][ \t]*:|\?[ \t])/.exec(text);
    if (quotedKey && (quotedKey[1] === undefined || GATE_KEYS.has(quotedKey[1]))) return undefined;
    if (key === "__proto__" || (begins && seen.has(key) && GATE_KEYS.has(key))) return undefined;
    if (begins && !seen.has(key)) {
      seen.add(key);
      fields.push({ key, lines: [text], line: first + index });
    } else if (current) current.lines.push(text);
    else if (/^\s*[^\s#]/.test(text)) return undefined;
  }
  return fields.length > 0 ? fields : undefined;
}

function readField(field: Field, file: string): YamlDocument | undefined {
  const document = readYaml(field.lines.join("\n"), file, { line: field.line });
  if (!hasErrors(document.problems)) return document;
  if (isBeyondRepair(document)) return undefined;
  const text = rawText(field);
  if (GATE_KEYS.has(field.key) && text !== "*") return undefined;
  const { line, column } = document.problems[0]!;
  const note: Problem = {
    file,
    line,
    column,
    code: "YAML_REPAIRED",
    severity: "warning",
    message: `\`${field.key}\` is not valid YAML (${document.problems[0]!.message}); it was read as text`,
    suggestion: `write \`${field.key}: ${quoteShort(text)}\``,
  };
  const valueColumn = field.lines[0]!.search(/:/) + 2;
  const at = (_: Path, part?: "key" | "value") => ({
    line: field.line,
    column: part === "key" ? 1 : valueColumn,
  });
  return { file, data: { [field.key]: text }, problems: [note], at };
}

function rawText({ key, lines }: Field): string {
  const [first = "", ...rest] = lines;
  const value = first.slice(first.indexOf(":", key.length) + 1);
  const text = [value, ...rest]
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replace(/^[|>][+-]?\d?\n/, "");
  const quote = /^(["'])[\s\S]*\1$/.exec(text)?.[1];
  return quote && text.length > 1 ? text.slice(1, -1) : text;
}

const SHOWN = 40;

function quoteShort(text: string): string {
  const flat = text.replace(/\s+/g, " ");
  return JSON.stringify(flat.length > SHOWN ? `${flat.slice(0, SHOWN).trimEnd()}…` : flat);
}

/** The note for front matter that is invalid as a whole, but whose fields can be parsed one by one. */
function wholeNote(broken: YamlDocument): Problem {
  const { message, ...place } = broken.problems[0]!;
  return {
    ...place,
    code: "YAML_REPAIRED",
    severity: "warning",
    message: `the front matter is not valid YAML (${message}); it was read key by key`,
    suggestion: "put text with a colon in quotes",
  };
}
