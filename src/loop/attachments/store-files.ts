// Checks the files that people and tools attach, and stores their bytes before an event refers to them (J9).
// Files are never masked, because a mask would only damage them. A file that contains a secret as plain text is refused.
// Secrets in pixels or in compressed data cannot be found.

import { CadreError } from "../../errors.ts";
import {
  type Attachment,
  detectMediaType,
  fileSize,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_FILES,
  MEDIA_TYPES,
  type MediaType,
  sizeProblem,
} from "../../journal/attachment.ts";
import type { LoopParts } from "../parts.ts";

/** A file from a person. */
export interface SentFile {
  name: string;
  /** The bytes as base64. */
  data: string;
}

export interface NewFile {
  name: string;
  bytes: Uint8Array;
}

type FileParts = Pick<LoopParts, "mask"> & { store: { blobs: Pick<LoopParts["store"]["blobs"], "putFile"> } };

/** Stores a person's files. Either all of them are stored, or the first problem is thrown and nothing is started or sent. */
export async function storeSentFiles(
  sent: readonly SentFile[] | undefined,
  parts: FileParts,
): Promise<{ attachments?: Attachment[] }> {
  if (sent === undefined || sent.length === 0) return {};
  const files = sent.map(({ name, data }) => ({ name, bytes: decodeBase64(name, data) }));
  const problem = messageProblem(files);
  if (problem !== undefined) throw refusedFile(problem);
  const checked = files.map((file) => checkFile(file, parts));
  for (const file of checked) if ("problem" in file) throw refusedFile(file.problem);
  return { attachments: await storeAll(checked as CheckedFile[], parts) };
}

/** Stores the files of a tool's answer. A file that cannot be attached is described to the model instead. */
export async function storeToolFiles(
  files: readonly NewFile[],
  parts: FileParts,
): Promise<{ attachments: Attachment[]; problems: string[] }> {
  const problem = messageProblem(files);
  if (problem !== undefined) return { attachments: [], problems: [problem] };
  const checked = files.map((file) => checkFile(file, parts));
  const usable = checked.filter((file): file is CheckedFile => !("problem" in file));
  const problems = checked.flatMap((file) => ("problem" in file ? [file.problem] : []));
  return { attachments: await storeAll(usable, parts), problems };
}

function decodeBase64(name: string, data: string): Buffer {
  const bytes = Buffer.from(data, "base64");
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const length = Math.floor(((data.length - padding) * 3) / 4);
  if (bytes.length > 0 && bytes.length === length) return bytes;
  throw refusedFile(`${plainName(name)} is not sent as base64`);
}

const refusedFile = (problem: string): CadreError =>
  new CadreError("UNPROCESSABLE", `${problem}. Nothing was sent.`);

function messageProblem(files: readonly NewFile[]): string | undefined {
  if (files.length > MAX_MESSAGE_FILES)
    return `${files.length} files are too many: ${MAX_MESSAGE_FILES} can be attached at once`;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return bytes > MAX_MESSAGE_BYTES
    ? `The files have ${fileSize(bytes)} together, and ${fileSize(MAX_MESSAGE_BYTES)} can be attached at once`
    : undefined;
}

interface CheckedFile extends NewFile {
  mediaType: MediaType;
}

function checkFile({ name, bytes }: NewFile, { mask }: FileParts): CheckedFile | { problem: string } {
  const plain = plainName(name);
  const mediaType = detectMediaType(bytes);
  if (mediaType === undefined)
    return { problem: `${plain} is not a file that can be attached: its content is none of ${KINDS}` };
  const size = sizeProblem(mediaType, bytes);
  if (size !== undefined) return { problem: `${plain} ${size}` };
  const text = Buffer.from(bytes).toString("latin1");
  if (mask.text(text) !== text)
    return { problem: `${plain} contains a secret of this project as plain text, so it is not stored` };
  return { name: plain, bytes, mediaType };
}

const KINDS = MEDIA_TYPES.map((type) => type.split("/")[1]!.toUpperCase()).join(", ");

const LONGEST_NAME = 200;

/** A name without control characters, so that it can be shown everywhere. */
const plainName = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, LONGEST_NAME) || "file";

const storeAll = (files: readonly CheckedFile[], { store }: FileParts): Promise<Attachment[]> =>
  Promise.all(
    files.map(async ({ name, mediaType, bytes }) => ({
      name,
      mediaType,
      bytes: bytes.length,
      blob: await store.blobs.putFile(bytes),
    })),
  );
