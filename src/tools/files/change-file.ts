// Changes a file for Write and Edit: reads it, computes the new content, and replaces it. Repeating an attempt has no further effect.
//  - Two fingerprints are recorded before the first attempt: one of the file's old content, and one of its new content.
//    If a later attempt finds the fingerprint of the new content, the change is already done.
//    If the attempt finds neither fingerprint, another process has changed the file, and the attempt changes nothing (X3, A20).
//  - A byte order mark is kept. CR LF is kept if the whole file uses it. Models see neither the mark nor the CR.

import { findSecretMarks } from "../../journal/masking/mask.ts";
import { refusal } from "../answers.ts";
import type { Fingerprints, Preview, ToolAnswer, ToolContext } from "../tool.ts";
import { diffPreview, TOO_LONG } from "./diff-preview.ts";
import {
  ABSENT,
  type FileText,
  fingerprintOf,
  MAX_FILE_BYTES,
  readTextFile,
  replaceFile,
  writeFailure,
} from "./text-file.ts";
import { resolveInWorkspace, type WorkspacePath } from "./workspace-path.ts";

/** `refused` completes a sentence that begins with the file's name. `shown` contains the changed lines, for the model. */
export type PlannedChange = { text: string; said: string; shown?: string } | { refused: string };
/** Computes the new content of a file. `before` is undefined if the file does not exist. */
export type ChangePlan = (before: string | undefined, mask?: ToolContext["mask"]) => PlannedChange;

export async function changeFile(path: string, plan: ChangePlan, context: ToolContext): Promise<ToolAnswer> {
  const { workspace, key, attempt, fingerprints, signal } = context;
  const place = await resolveInWorkspace(workspace, path);
  if (!place.ok) return refusal(`${place.why}; nothing was changed`);
  if (signal.aborted) return refusal("cancelled before it began; nothing was changed");
  const before = await readTextFile(place);
  const change = before.fingerprint === ABSENT ? "created" : "modified";
  if (attempt > 1 && fingerprints?.after === before.fingerprint)
    return {
      output: `${place.relative} is as this call leaves it: an earlier attempt had done it`,
      files: [{ path: place.relative, change: fingerprints.before === ABSENT ? "created" : "modified" }],
      seen: { path: place.relative, fingerprint: before.fingerprint },
    };
  if (isStale(before, context)) return staleAnswer(place);
  const planned = planFor(place, before, (text) => plan(text, context.mask));
  if ("refused" in planned) return refusal(`${path} ${planned.refused}; nothing was changed`);
  if (before.ok && before.text === planned.text)
    return { output: `${place.relative} already has exactly this content` };
  // A person can only approve a change that the preview shows.
  if (context.approved && differenceOf(place, before, planned.text) === undefined)
    return refusal(`${path} ${TOO_LONG}; nothing was changed`);
  try {
    if ((await replaceFile(place, planned.text, { key, before })) === "changed") return staleAnswer(place);
  } catch (error) {
    return refusal(`${path} ${writeFailure(error)}`);
  }
  return {
    output: `${change} ${place.relative} (${planned.said})${planned.shown ? `\n${planned.shown}` : ""}`,
    files: [{ path: place.relative, change }],
    seen: { path: place.relative, fingerprint: fingerprintOf(planned.text) },
  };
}

export async function previewChange(path: string, plan: ChangePlan, workspace: string): Promise<Preview> {
  const place = await resolveInWorkspace(workspace, path);
  if (!place.ok) return { text: `Will be refused: ${place.why}` };
  const before = await readTextFile(place);
  const { fingerprint } = before;
  const planned = planFor(place, before, plan);
  if ("refused" in planned) return { text: `Will be refused: ${path} ${planned.refused}`, fingerprint };
  const text = differenceOf(place, before, planned.text);
  if (text === undefined) return { text: `Will be refused: ${path} ${TOO_LONG}`, fingerprint };
  return { text, fingerprint, change: { before: before.ok ? before.text : "", after: planned.text } };
}

/** Returns undefined if the call would change nothing. */
export async function fingerprintsOf(
  path: string,
  plan: ChangePlan,
  workspace: string,
): Promise<Fingerprints | undefined> {
  const place = await resolveInWorkspace(workspace, path);
  if (!place.ok) return undefined;
  const before = await readTextFile(place);
  const planned = planFor(place, before, plan);
  if ("refused" in planned) return undefined;
  return { path: place.relative, before: before.fingerprint, after: fingerprintOf(planned.text) };
}

const differenceOf = ({ relative }: WorkspacePath, before: FileText, after: string): string | undefined =>
  diffPreview(relative, before.ok ? before.text : "", after);

function planFor({ relative }: WorkspacePath, before: FileText, plan: ChangePlan): PlannedChange {
  if (/\.ipynb$/i.test(relative)) return { refused: NOTEBOOK };
  if (!before.ok && !before.missing) return { refused: before.why };
  const planned = plan(before.ok ? before.text : undefined);
  if ("refused" in planned) return planned;
  if (planned.text.includes("\0")) return { refused: "would hold a NUL character: only text can be written" };
  if (Buffer.byteLength(planned.text) > MAX_FILE_BYTES)
    return { refused: "would be longer than the 10 MB that can be read again" };
  const marked = markProblem(planned.text, before.ok ? before.text : "");
  return marked === undefined ? planned : { refused: marked };
}

const NOTEBOOK =
  "is a notebook, whose cells are not lines of text: change it by a program with Bash (Python's nbformat), or keep the code in a .py file";

/** If no fingerprints were recorded, a later attempt cannot know whether another process changed the file. */
const isStale = ({ fingerprint }: FileText, { attempt, fingerprints }: ToolContext): boolean =>
  fingerprints === undefined ? attempt > 1 : fingerprints.before !== fingerprint;

const staleAnswer = ({ relative }: WorkspacePath): ToolAnswer => ({
  output: `${relative} has changed since you last read it, by a command or by somebody else; nothing was changed. Read it again, and make the change anew if it is still wanted.`,
  isError: true,
  stale: true,
});

/** Converts the model's LF to CR LF if the whole file uses CR LF. */
export function lineEndingsOf(before: string): (text: string) => string {
  const crlf = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  return (text) => (crlf ? text.replace(/\r?\n/g, "\r\n") : text);
}

export const hasByteOrderMark = (text: string): boolean => text.startsWith("\ufeff");

/** Says why a text with the mark `⟦secret NAME⟧` must not be written: the mark would replace the secret's value in the file. */
function markProblem(text: string, before: string): string | undefined {
  const mark = findSecretMarks(text).find((found) => !before.includes(found));
  if (mark === undefined) return undefined;
  return `would hold ${mark}, which stands for a value that is not shown here: leave the lines with it as they are and change others with Edit, or name the variable in its place`;
}
