// A file that a person has chosen and that is sent with a message.

import { fileSize } from "../../../src/journal/attachment.ts";

export interface SentFile {
  name: string;
  /** The bytes as base64. */
  data: string;
}

export const describeSize = ({ data }: SentFile): string => fileSize(Math.floor((data.length * 3) / 4));

/** The field of a request. Absent if there are no files. */
export const attachmentsField = (files: readonly SentFile[]): { attachments?: SentFile[] } =>
  files.length === 0 ? {} : { attachments: [...files] };
