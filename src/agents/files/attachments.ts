// Reads the files that an agent's file refers to: includes, a separate prompt, schemas, and the steps module.
// The referenced files are read when the agent is loaded. A file outside the allowed folders is never read.

import { realpath } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { hasErrors, type Problem } from "../../config/problem.ts";
import { readYaml } from "../../config/yaml.ts";
import { stepsHash, stepsProblem } from "../load-steps.ts";
import { type Draft, withError } from "./draft.ts";
import { isMapping } from "./parse.ts";
import { type ConfinedFile, nameBelow, readConfined } from "./read-confined.ts";

export interface AttachmentRoots {
  path: string;
  /** The agents folder. Includes, schemas and steps must be inside it. */
  folder: string;
  /** The project folder, or the agents folder if it is not in a project. A separate prompt must be inside `root`. */
  root: string;
  /** Name of a file, as definitions store it. */
  display(path: string): string;
}

/** Dialects in which `${include:…}` has an effect. In files of other products it is plain text. */
const INCLUDING = new Set(["cadre", "ai-agent"]);

export async function attachFiles(draft: Draft, pointing: AttachmentRoots): Promise<Draft> {
  if (hasErrors(draft.problems)) return draft;
  const { path, folder } = pointing;
  const prompted = await readPrompt(draft, pointing);
  const included = INCLUDING.has(draft.dialect) ? await resolveIncludes(prompted, path, folder) : prompted;
  const steps = await readSteps(included, pointing);
  return readSchema(await readSchema(steps, "input", pointing), "output", pointing);
}

async function readPrompt(draft: Draft, { path, root }: AttachmentRoots): Promise<Draft> {
  const name = draft.promptFile;
  if (name === undefined) return draft;
  const read = await readConfined({ name, folder: dirname(path), root, within: "the project" });
  if ("text" in read) return { ...draft, body: read.text };
  const key = draft.dialect === "roles" ? "name" : "prompt";
  return withError(draft, key, {
    code: "BAD_PROMPT_FILE",
    message: `prompt file \`${name}\` ${read.problem}`,
  });
}

async function readSteps(draft: Draft, { path, folder, display }: AttachmentRoots): Promise<Draft> {
  const name = draft.keys["steps"];
  // The steps of an agent in code are already there.
  if (draft.steps || typeof name !== "string" || name.trim() === "") return draft;
  const bad = (why: string) =>
    withError(draft, "steps", { code: "BAD_STEPS", message: `module \`${name}\` ${why}` });
  // A link named `~` could make a project's module look like the user's own module, which needs no trust.
  const at = resolve(dirname(path), name);
  if (!at.startsWith(folder + sep)) return bad("is outside the agents folder");
  const read = await readConfined({ name, folder: dirname(path), root: folder, within: "the agents folder" });
  if ("problem" in read) return bad(read.problem);
  const problem = stepsProblem(read.text);
  if (problem !== undefined) return bad(problem);
  return { ...draft, steps: { module: display(at), hash: stepsHash(read.text) } };
}

async function readSchema(draft: Draft, key: string, { path, folder }: AttachmentRoots): Promise<Draft> {
  const name = draft.keys[key];
  if (typeof name !== "string" || name.trim() === "") return draft;
  const read = await readConfined({ name, folder: dirname(path), root: folder, within: "the agents folder" });
  if ("problem" in read)
    return withError(draft, key, { code: "BAD_SCHEMA", message: `schema \`${name}\` ${read.problem}` });
  const { data, problems } = readYaml(read.text, name);
  if (isMapping(data)) return { ...draft, keys: { ...draft.keys, [key]: data } };
  const why = problems[0]
    ? `${problems[0].line}:${problems[0].column} ${problems[0].message}`
    : "is not a mapping";
  return withError(draft, key, { code: "BAD_SCHEMA", message: `schema \`${name}\`: ${why}` });
}

const INCLUDE = /\$\{include:([^}\n]*)\}/g;
const MAX_TEXT = 1_000_000;
const MAX_INCLUDES = 200;

/** Replaces each `${include:file}` in a prompt with the file's text. A file outside `root` is never read. */
async function resolveIncludes(prompt: Draft, path: string, root: string): Promise<Draft> {
  if (!prompt.body.includes("${include:")) return prompt;
  const problems: Problem[] = [];
  let count = 0;
  const expand = async (text: string, trail: string[], report: (at: number, message: string) => void) => {
    let result = "";
    let last = 0;
    for (const match of text.matchAll(INCLUDE)) {
      result += text.slice(last, match.index);
      last = match.index + match[0].length;
      const read = await readInclude(match[1]!.trim(), trail, root);
      if ("problem" in read) report(match.index, read.problem);
      // A problem in an included file is reported at the include in the agent's own file, because a person can fix it there.
      else
        result += await expand(read.text, [...trail, read.path], (_, message) =>
          report(match.index, message),
        );
      if (result.length > MAX_TEXT) report(match.index, "includes make the prompt larger than 1 MB");
      if (++count > MAX_INCLUDES) report(match.index, `more than ${MAX_INCLUDES} includes`);
      // The first problem ends the search. Otherwise a tree of includes could be read without end.
      if (problems.length > 0) return "";
    }
    return result + text.slice(last);
  };
  const body = await expand(prompt.body, [await realpath(path)], (at, message) => {
    if (problems.length > 0) return;
    const before = prompt.body.slice(0, at).split("\n");
    const line = prompt.bodyLine + before.length - 1;
    const column = before.at(-1)!.length + 1;
    problems.push({ file: prompt.file, line, column, code: "BAD_INCLUDE", severity: "error", message });
  });
  return { ...prompt, body, problems: [...prompt.problems, ...problems] };
}

async function readInclude(name: string, trail: readonly string[], root: string): Promise<ConfinedFile> {
  const folder = dirname(trail.at(-1)!);
  const read = await readConfined({ name, folder, root, within: "the agents folder" });
  if ("problem" in read) return { problem: `include \`${name}\` ${read.problem}` };
  if (!trail.includes(read.path)) return read;
  const circle = [...trail.slice(trail.indexOf(read.path)), read.path];
  const names = await Promise.all(circle.map((step) => nameBelow(step, root)));
  return { problem: `includes form a cycle: ${names.join(" → ")}` };
}
