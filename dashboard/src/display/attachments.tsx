// Attached files: images as thumbnails that open in full size, PDFs as links that download.
// The page fetches the files itself, because the server accepts the browser's cookie only together with the page key.

import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useEffect, useState } from "react";
import { type Attachment, describeFile, isImage } from "../../../src/journal/attachment.ts";
import { fetchWithKey } from "../live/page-key.ts";
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
  const { image, link } = useFile(address);
  if (isImage(file))
    return (
      <a href={link} target="_blank" rel="noreferrer" title={words}>
        <img
          // The page's policy allows images from the server and as data, but not as blobs.
          src={image}
          alt={words}
          className="max-h-40 min-h-4 max-w-60 rounded-md border border-line bg-surface object-contain"
        />
      </a>
    );
  return (
    <a
      href={link}
      download={file.name}
      className="flex items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-sm underline"
    >
      <FileText size={14} aria-hidden className="shrink-0" />
      <VisibleText text={words} className="wrap-anywhere" />
    </a>
  );
}

/** The file as data for an image, and as an address for a link. Both are undefined until the file is loaded. */
function useFile(address: string): { image: string | undefined; link: string | undefined } {
  const { data } = useQuery({
    queryKey: ["attachment", address],
    queryFn: async () => {
      const answer = await fetchWithKey(address);
      if (!answer.ok) throw new Error(`The file could not be loaded (${answer.status}).`);
      const blob = await answer.blob();
      return { blob, image: await dataUrl(blob) };
    },
    // The address names the content, so the file never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [link, setLink] = useState<string>();
  const blob = data?.blob;
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setLink(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return { image: data?.image, link };
}

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
