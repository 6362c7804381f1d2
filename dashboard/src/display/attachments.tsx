// Attached files: images as thumbnails that open in full size, PDFs as links that download.

import { FileText } from "lucide-react";
import { type Attachment, describeFile, isImage } from "../../../src/journal/attachment.ts";
import { VisibleText } from "./visible-text.tsx";

interface AttachmentsProps {
  /** The run whose event has the files. */
  runId: string;
  files: readonly Attachment[];
}

export function Attachments({ runId, files }: AttachmentsProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2 pt-2">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of an event never change, and two of them can be equal
        <li key={index}>
          <AttachedFile file={file} address={`/api/runs/${runId}/attachments/${file.blob}`} />
        </li>
      ))}
    </ul>
  );
}

function AttachedFile({ file, address }: { file: Attachment; address: string }) {
  const words = describeFile(file);
  if (isImage(file))
    return (
      <a href={address} target="_blank" rel="noreferrer" title={words}>
        <img
          src={address}
          alt={words}
          loading="lazy"
          className="max-h-40 max-w-60 rounded-md border border-line bg-surface object-contain"
        />
      </a>
    );
  return (
    <a
      href={address}
      download={file.name}
      className="flex items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-sm underline"
    >
      <FileText size={14} aria-hidden className="shrink-0" />
      <VisibleText text={words} className="wrap-anywhere" />
    </a>
  );
}
