// Files that a message mentions: `@src/app.ts`, or the path of an image or a PDF, as terminals paste it for a dropped file.
// Images and PDFs are attached. The text of other files follows the message.

import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { readAttachments, readGivenFile } from "../option-values.ts";

export interface MessageWithFiles {
  text: string;
  attachments?: { name: string; data: string }[];
}

const MEDIA = /\.(png|jpe?g|gif|webp|pdf)$/i;
/** A word of the message. Inside quotes or after a backslash, a space belongs to the word. */
const WORD = /@?(?:"[^"\n]+"|'[^'\n]+'|(?:\\.|[^\s\\"'])+)/g;
const NOTHING = "Nothing was sent.";
const MOST_TEXT = 200_000;

export function readMentions(message: string, cwd: string): MessageWithFiles {
  const media: string[] = [];
  const texts: string[] = [];
  for (const [word] of message.matchAll(WORD)) {
    const path = pathOf(word);
    const isMention = word.startsWith("@");
    if (!(isMention || /^[~./]/.test(path)) || !isFile(path, cwd)) continue;
    if (MEDIA.test(path)) media.push(resolve(cwd, expandHome(path)));
    else if (isMention) texts.push(path);
  }
  const attached = [...new Set(texts)].map((path) => {
    const text = readGivenFile(resolve(cwd, expandHome(path)), NOTHING, { shown: path, max: MOST_TEXT });
    return `Attached ${path}:\n\n${text}`;
  });
  const files = readAttachments([...new Set(media)], cwd, NOTHING);
  return { text: [message, ...attached].join("\n\n"), ...files };
}

/** Whether the text is only the path of a file, and no command that begins with a slash. */
export const isFilePath = (text: string, cwd: string): boolean => isFile(pathOf(text.trim()), cwd);

/** Completes the path after the last `@` with the part that all possible paths share. */
export function completePath(text: string, cwd: string): string {
  const [, before, path] = /^([\s\S]*(?:^|\s)@)([^\s"']*)$/.exec(text) ?? [];
  if (before === undefined || path === undefined) return text;
  const folder = path.endsWith("/") ? path : join(dirname(path), "/");
  const begun = path.endsWith("/") ? "" : basename(path);
  const shownFolder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const names = entriesOf(resolve(cwd, expandHome(folder)))
    .filter((name) => name.startsWith(begun) && (begun !== "" || !name.startsWith(".")))
    .sort();
  return `${before}${shownFolder}${commonStart(names) || begun}`;
}

export function commonStart(names: readonly string[]): string {
  const [first = "", ...others] = names;
  let end = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, end))) end--;
  return first.slice(0, end);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    );
  } catch {
    return [];
  }
}

const pathOf = (word: string): string =>
  word
    .replace(/^@/, "")
    .replace(/^(["'])(.*)\1$/, "$2")
    .replaceAll(/\\(.)/g, "$1");

const expandHome = (path: string): string => path.replace(/^~(?=\/)/, homedir());

const isFile = (path: string, cwd: string): boolean =>
  path !== "" && statSync(resolve(cwd, expandHome(path)), { throwIfNoEntry: false })?.isFile() === true;
