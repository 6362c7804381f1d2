// Which folders a person trusts: asked once, and kept outside of them, where no project can write.

import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";

export type Env = Readonly<Record<string, string | undefined>>;

/** Whether a person has said that this folder may set endpoints, start commands and allow things. */
export function isTrusted(folder: string, env: Env): boolean {
  if (env["CADRE_TRUST"] === "1") return true;
  return trustedFolders(env).includes(real(folder));
}

export function trust(folder: string, env: Env): void {
  const file = trustFile(env);
  const folders = [...new Set([...trustedFolders(env), real(folder)])].sort();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ folders }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function trustFile(env: Env): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return join(base, "cadre", "trusted.json");
}

const TrustFile = z.object({ folders: z.array(z.string()) });

/** A list that cannot be read trusts nobody. */
function trustedFolders(env: Env): string[] {
  try {
    return TrustFile.parse(JSON.parse(readFileSync(trustFile(env), "utf8"))).folders;
  } catch {
    return [];
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
