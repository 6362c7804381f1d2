// Chooses images and PDFs for a message: with a button, or by pasting them.

import { Paperclip, X } from "lucide-react";
import { type ClipboardEvent, useId, useRef, useState } from "react";
import { describeSize, type SentFile } from "../display/sent-file.ts";
import { VisibleText } from "../display/visible-text.tsx";
import { Button, IconButton } from "../ui/button.tsx";

export interface ChosenFiles {
  files: readonly SentFile[];
  add(list: FileList | null): void;
  remove(index: number): void;
  clear(): void;
  /** Adds pasted files. Pasted text goes to the text field as usual. */
  onPaste(event: ClipboardEvent): void;
}

/** `onChange` is called whenever the files change. */
export function useFiles(onChange: () => void = () => {}): ChosenFiles {
  const [files, setFiles] = useState<readonly SentFile[]>([]);
  const change = (next: (before: readonly SentFile[]) => readonly SentFile[]): void => {
    setFiles(next);
    onChange();
  };
  const add = (list: FileList | null): void => {
    if (!list || list.length === 0) return;
    void Promise.all([...list].map(readFile)).then((added) => change((before) => [...before, ...added]));
  };
  return {
    files,
    add,
    remove: (index) => change((before) => before.filter((_, at) => at !== index)),
    clear: () => setFiles([]),
    onPaste(event) {
      if (event.clipboardData.files.length === 0) return;
      event.preventDefault();
      add(event.clipboardData.files);
    },
  };
}

async function readFile(file: File): Promise<SentFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { name: file.name || "pasted file", data: url.slice(url.indexOf(",") + 1) };
}

const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp,application/pdf";

export function AttachButton({ chosen, disabled }: { chosen: ChosenFiles; disabled?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <>
      <input
        ref={input}
        id={id}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label="Files to attach"
        onChange={({ target }) => {
          chosen.add(target.files);
          target.value = "";
        }}
      />
      <Button
        size="large"
        disabled={disabled}
        aria-label="Attach images or PDFs"
        title="Attach images or PDFs"
        onClick={() => input.current?.click()}
      >
        <Paperclip size={16} aria-hidden />
      </Button>
    </>
  );
}

export function FilesToSend({ chosen: { files, remove } }: { chosen: ChosenFiles }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files to send" className="flex flex-wrap gap-2 pb-2">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a person can choose the same file twice
        <li key={index} className="flex items-center gap-1 rounded-md border border-line px-2 text-sm">
          <VisibleText text={`${file.name} (${describeSize(file)})`} className="wrap-anywhere" />
          <IconButton icon={X} label={`Remove ${file.name}`} onClick={() => remove(index)} />
        </li>
      ))}
    </ul>
  );
}
