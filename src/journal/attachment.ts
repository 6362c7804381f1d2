// Images and PDFs that people and tools add to a conversation.
// An event holds a file's name, type and size, and the name of the blob with its bytes. The bytes themselves are never in an event.

import { z } from "zod";

export const MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export const Attachment = z.object({
  name: z.string(),
  mediaType: z.enum(MEDIA_TYPES),
  bytes: z.int().nonnegative(),
  /** Name of the blob with the file's bytes. */
  blob: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

export const isImage = ({ mediaType }: Pick<Attachment, "mediaType">): boolean =>
  mediaType !== "application/pdf";

const MEGABYTE = 1_000_000;
/** Providers reject larger images. Anthropic allows 5 MB of base64, which is a third longer than the file. */
export const MAX_IMAGE_BYTES = 3.75 * MEGABYTE;
export const MAX_PDF_BYTES = 10 * MEGABYTE;
/** Limits on the files of one message or one tool result. */
export const MAX_MESSAGE_BYTES = 12 * MEGABYTE;
export const MAX_MESSAGE_FILES = 20;

/** The type of a file according to its first bytes, because a file name proves nothing. Undefined if models cannot read the file. */
export function detectMediaType(bytes: Uint8Array): MediaType | undefined {
  const startsWith = (text: string, at = 0): boolean =>
    Array.from(text).every((character, index) => bytes[at + index] === character.charCodeAt(0));
  if (startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (startsWith("GIF87a") || startsWith("GIF89a")) return "image/gif";
  if (startsWith("RIFF") && startsWith("WEBP", 8)) return "image/webp";
  return startsWith("%PDF-") ? "application/pdf" : undefined;
}

/** Says why a file is too large to be attached. Completes a sentence that begins with the file's name. */
export function sizeProblem(mediaType: MediaType, bytes: Uint8Array): string | undefined {
  const most = isImage({ mediaType }) ? MAX_IMAGE_BYTES : MAX_PDF_BYTES;
  const kind = isImage({ mediaType }) ? "an image" : "a PDF";
  if (bytes.length > most)
    return `is ${fileSize(bytes.length)}, and ${kind} can have at most ${fileSize(most)}`;
  const [width, height] = pixelsOf(mediaType, bytes) ?? [0, 0];
  return Math.max(width, height) > MAX_PIXELS
    ? `has ${width} × ${height} pixels, and an image can have at most ${MAX_PIXELS} on each side`
    : undefined;
}

/** Providers reject wider and taller images, and with them the whole conversation. */
const MAX_PIXELS = 8_000;

/** Width and height of an image. Undefined if they cannot be read; then the provider decides. */
function pixelsOf(mediaType: MediaType, bytes: Uint8Array): [number, number] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mediaType === "image/png" && bytes.length >= 24) return [view.getUint32(16), view.getUint32(20)];
  if (mediaType === "image/gif" && bytes.length >= 10)
    return [view.getUint16(6, true), view.getUint16(8, true)];
  return mediaType === "image/jpeg" ? jpegPixels(view) : undefined;
}

/** Searches the segments of a JPEG for its frame header (SOF), which has the size. */
function jpegPixels(view: DataView): [number, number] | undefined {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Name, type and size, for people and for models that cannot see the file. */
export const describeFile = ({ name, mediaType, bytes }: Omit<Attachment, "blob">): string =>
  `${name} (${mediaType}, ${fileSize(bytes)})`;

export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < MEGABYTE
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / MEGABYTE).toFixed(2).replace(/0$/, "")} MB`;
}

/** Tokens that a large image costs with most providers. */
const IMAGE_TOKENS = 1_600;
/** Estimated bytes of a PDF per token, and the maximum estimate in tokens for one PDF. */
const PDF_BYTES_PER_TOKEN = 50;
const MAX_PDF_TOKENS = 50_000;

/** Estimated tokens of a file in the prompt. The provider's own count replaces the estimate after the first call. */
export const fileTokens = (file: Pick<Attachment, "mediaType" | "bytes">): number =>
  isImage(file)
    ? IMAGE_TOKENS
    : Math.min(MAX_PDF_TOKENS, IMAGE_TOKENS + Math.ceil(file.bytes / PDF_BYTES_PER_TOKEN));
