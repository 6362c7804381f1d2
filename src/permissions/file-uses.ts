// Which files a program opens, as far as its words show: only programs whose words are known well enough to say.

import type { ShellWord } from "./shell/parse-shell.ts";

export interface FileUse {
  path: string;
  use: "writes" | "reads";
}

/** Which of the words that are no options are files that it changes. */
const CHANGES: Readonly<Record<string, "all" | "last" | "but-first">> = {
  rm: "all",
  rmdir: "all",
  unlink: "all",
  shred: "all",
  touch: "all",
  mkdir: "all",
  tee: "all",
  truncate: "all",
  mv: "all",
  cp: "last",
  ln: "last",
  install: "last",
  rsync: "last",
  scp: "last",
  chmod: "but-first",
  chown: "but-first",
  chgrp: "but-first",
};

const READS = new Set(
  "cat head tail less more sort uniq wc diff cmp md5sum sha256sum stat file source .".split(" "),
);

/** `curl -o x`, `wget -O x`, `gcc -o x`, `tar -f x`. */
const OUTPUT = /^(-o|-O|--output|--output-document|--output-file)$/;
const WRITES_OUTPUT = new Set("curl wget gcc g++ clang cc go rustc sort openssl pandoc".split(" "));

export function fileUses(name: string | undefined, words: readonly ShellWord[]): FileUse[] {
  if (name === undefined) return [];
  const plain = words.filter((word) => word !== undefined && !word.startsWith("-")) as string[];
  if (name === "dd") return plain.flatMap(copied);
  if (name === "sed" && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word ?? "")))
    return plain.slice(1).map(written);
  const how = CHANGES[name];
  if (how !== undefined) return changed(plain, how);
  if (READS.has(name)) return plain.map(read);
  return WRITES_OUTPUT.has(name) ? words.flatMap((word, at) => outputAt(words, word, at)) : [];
}

function changed(plain: readonly string[], how: "all" | "last" | "but-first"): FileUse[] {
  if (how === "all") return plain.map(written);
  if (how === "but-first") return plain.slice(1).map(written);
  return [...plain.slice(0, -1).map(read), ...plain.slice(-1).map(written)];
}

function copied(word: string): FileUse[] {
  const [, side, path] = /^(if|of)=(.+)$/s.exec(word) ?? [];
  if (path === undefined) return [];
  return [side === "of" ? written(path) : read(path)];
}

function outputAt(words: readonly ShellWord[], word: ShellWord, at: number): FileUse[] {
  const joined = /^--output(?:-document|-file)?=(.+)$/s.exec(word ?? "")?.[1];
  if (joined !== undefined) return [written(joined)];
  const next = words[at + 1];
  return OUTPUT.test(word ?? "") && next !== undefined && !next.startsWith("-") ? [written(next)] : [];
}

const written = (path: string): FileUse => ({ path, use: "writes" });
const read = (path: string): FileUse => ({ path, use: "reads" });
