// Finds which files a call changes, and keeps their earlier versions in the store.
//  UN4  The earlier version of a file is kept before the call can change the file.
//  UN5  A change is recorded once, by the call that ends first after it. So the changes of parallel calls form one history.
//  UN6  A file that a person changes while no call is at work is not recorded as a change of a call.
// Write and Edit name their file, so only this file is read. For a command, the whole workspace is compared before and after.

import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../clock.ts";
import type { ChangedPath, FileChanges, FileVersion } from "../../journal/events.ts";
import type { Mask } from "../../journal/masking/mask.ts";
import { isSameVersion } from "../../projections/folds/undo-plan.ts";
import { ABSENT } from "../files/text-file.ts";
import { resolveInWorkspace } from "../files/workspace-path.ts";
import type { EndWatch, FileWatcher } from "../tool.ts";
import { type FileCache, openFileCache } from "./file-cache.ts";
import { type ReadRules, readVersion } from "./file-version.ts";
import { listPaths } from "./list-paths.ts";

export interface WatcherParts {
  /** Cadre's own folder on this machine. */
  dir: string;
  mask: Mask;
  clock: Pick<Clock, "now">;
  /** Whether a file usually holds keys. Such a file is never read. */
  holdsKeys(path: string): boolean;
  /** Whether a file decides what Cadre runs. */
  isProtected(path: string, absolute: string): boolean;
  /** Puts the bytes of a file into the store. */
  putFile(bytes: Uint8Array): Promise<string>;
}

/** The versions that one call can put into the store, at most. */
const MAX_KEPT_FILES = 5_000;
const MAX_KEPT_BYTES = 200 * 1024 * 1024;
/** The clocks of file systems are coarse: a file that was read this soon after its last change is read again. */
const COARSE_NS = 100_000_000n;
const IGNORE_FILE = /(^|\/)\.(git|rg)?ignore$/;
const AT_ONCE = 32;

const SCAN_MS = 60_000;
const TOO_MANY_MS = 600_000;

export function createFileWatcher(parts: WatcherParts): FileWatcher {
  const workspaces = new Map<string, WatchedWorkspace>();
  return {
    async watch(workspace, path, earlier) {
      const root = await realpath(workspace).catch(() => undefined);
      if (root === undefined) return async () => undefined;
      let watched = workspaces.get(root);
      if (!watched) {
        watched = new WatchedWorkspace(root, parts);
        workspaces.set(root, watched);
      }
      const place = path === undefined ? undefined : await resolveInWorkspace(root, path);
      if (place && !place.ok) return async () => undefined;
      return watched.watch(place?.names.join("/"), earlier);
    },
  };
}

class WatchedWorkspace {
  private readonly cache: FileCache;
  private turn: Promise<unknown> = Promise.resolve();
  private active = 0;
  /** The latest known version of each path while calls are running. */
  private known = new Map<string, FileVersion | null>();
  private isWhole = false;
  private problem: FileChanges["incomplete"];
  /** When the whole workspace was read, in nanoseconds of the file system's clock. */
  private since = 0n;
  /** The files as they were last read, so that an unchanged file is not read again. */
  private readonly read = new Map<string, { stats: BigIntStats; version: FileVersion; at: bigint }>();
  private lastAt = 0;
  /** Until then, the workspace is not listed again, because it had too many files. */
  private tooManyUntil = 0;
  private readonly root: string;
  private readonly parts: WatcherParts;
  private readonly rules: ReadRules;

  constructor(root: string, parts: WatcherParts) {
    this.root = root;
    this.parts = parts;
    this.rules = readRules(parts);
    this.cache = openFileCache(parts.dir, root);
  }

  async watch(
    path: string | undefined,
    earlier: { before: string; after: string } | undefined,
  ): Promise<EndWatch> {
    const paths = path === undefined ? undefined : withFolders(path);
    await this.inTurn(async () => {
      this.active += 1;
      if (paths) await this.note(paths);
      if (path !== undefined && earlier) this.noteEarlier(path, earlier);
      if (!paths && !this.isWhole) await this.noteAll();
    }).catch(() => this.giveUp());
    return async () =>
      this.inTurn(async () => {
        try {
          return await this.found(paths);
        } finally {
          this.active -= 1;
          if (this.active === 0) this.forget();
        }
      }).catch(() => ({ at: this.nextAt(), paths: [], incomplete: "unreadable" as const }));
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private giveUp(): void {
    this.problem ??= "unreadable";
  }

  private forget(): void {
    this.known = new Map();
    this.isWhole = false;
    this.problem = undefined;
  }

  private async note(paths: readonly string[]): Promise<void> {
    const folders = this.realFolders();
    for (const path of paths)
      if (!this.known.has(path)) this.known.set(path, await this.versionOf(path, folders));
  }

  /** The name of a blob is the hash of the file, like a fingerprint. The cache may still have the bytes. */
  private noteEarlier(path: string, { before, after }: { before: string; after: string }): void {
    const now = this.known.get(path);
    if (now?.kind !== "file" || now.blob !== `f${after}`) return;
    const isNew = before === ABSENT;
    this.known.set(path, isNew ? null : { kind: "file", blob: `f${before}`, mode: now.mode });
  }

  private async noteAll(): Promise<void> {
    if (this.parts.clock.now() < this.tooManyUntil) {
      this.problem = "too_many_files";
      return;
    }
    const listed = await listPaths(this.root, AbortSignal.timeout(SCAN_MS));
    if ("problem" in listed) {
      this.problem = listed.problem;
      if (listed.problem === "too_many_files") this.tooManyUntil = this.parts.clock.now() + TOO_MANY_MS;
      return;
    }
    // A call that is already at work may have changed its file, so its own note is kept.
    const paths = listed.paths.filter((path) => !this.known.has(path));
    const folders = this.realFolders();
    const versions = await inBatches(paths, (path) => this.versionOf(path, folders));
    for (const [index, path] of paths.entries()) this.known.set(path, versions[index]!);
    this.isWhole = true;
    this.since = await this.cache.time();
    const needed = new Set([...this.known.values()].flatMap((one) => (one?.kind === "file" ? one.blob : [])));
    await this.cache.tidy(needed);
  }

  private async found(own: readonly string[] | undefined): Promise<FileChanges | undefined> {
    if (!own && !this.isWhole)
      return { at: this.nextAt(), paths: [], incomplete: this.problem ?? "unreadable" };
    let incomplete: FileChanges["incomplete"];
    let paths = own ?? [];
    if (!own) {
      const listed = await listPaths(this.root, AbortSignal.timeout(SCAN_MS));
      if ("problem" in listed) incomplete = listed.problem;
      paths = [...new Set([...this.known.keys(), ...("paths" in listed ? listed.paths : [])])];
    }
    const folders = this.realFolders();
    const versions = await inBatches(paths, (path) => this.versionOf(path, folders));
    const found = new Map(paths.map((path, index) => [path, versions[index]!]));
    const changed: ChangedPath[] = [];
    const created = new Set<string>();
    const hasOtherRules = paths.some(
      (path) =>
        IGNORE_FILE.test(path) && !isSameVersion(this.known.get(path) ?? null, found.get(path) ?? null),
    );
    for (const path of paths.toSorted()) {
      const after = found.get(path) ?? null;
      const before = this.known.get(path) ?? null;
      if (isSameVersion(before, after)) continue;
      if (before === null) {
        const isCertain = this.known.has(path) || created.has(dirname(path));
        if (!isCertain && !(await this.isNew(path, hasOtherRules))) continue;
        created.add(path);
      }
      changed.push({ path, before, after });
      this.known.set(path, after);
    }
    if (changed.length === 0 && incomplete === undefined) return undefined;
    const kept = await this.keep(changed);
    return { at: this.nextAt(), paths: kept, ...(incomplete ? { incomplete } : {}) };
  }

  /** Whether a path that was not listed before is new. If a .gitignore changed, the path might have existed but been ignored. */
  private async isNew(path: string, hasOtherRules: boolean): Promise<boolean> {
    if (!hasOtherRules) return true;
    const stats = await lstat(join(this.root, path), { bigint: true }).catch(() => undefined);
    return stats === undefined || stats.birthtimeNs > this.since;
  }

  /** Returns a function that tells whether a folder is reached without a link. A path behind a link counts as not there. */
  private realFolders(): (folder: string) => Promise<boolean> {
    const known = new Map<string, Promise<boolean>>();
    return (folder) => {
      const path = folder === "." ? this.root : join(this.root, folder);
      const found =
        known.get(folder) ??
        realpath(path).then(
          (real) => real === path,
          () => false,
        );
      known.set(folder, found);
      return found;
    };
  }

  private async versionOf(
    path: string,
    isReal: (folder: string) => Promise<boolean>,
  ): Promise<FileVersion | null> {
    if (!(await isReal(dirname(path)))) return null;
    const stats = await lstat(join(this.root, path), { bigint: true }).catch(() => undefined);
    const last = this.read.get(path);
    if (stats && last && isUnchanged(stats, last)) return last.version;
    const at = nowNs();
    const { version, bytes, stats: fresh } = await readVersion(this.root, path, this.rules);
    if (version?.kind === "file" && bytes) await this.cache.keep(version.blob, bytes);
    if (version && fresh) this.read.set(path, { stats: fresh, version, at });
    else this.read.delete(path);
    return version;
  }

  /** Puts the earlier versions into the store. A version that cannot be put there is noted as not kept. */
  private async keep(changed: readonly ChangedPath[]): Promise<ChangedPath[]> {
    const kept: ChangedPath[] = [];
    let [files, size] = [0, 0];
    for (const change of changed) {
      const { before } = change;
      if (before?.kind !== "file") {
        kept.push(change);
        continue;
      }
      const bytes = await this.cache.read(before.blob);
      files += 1;
      size += bytes?.length ?? 0;
      if (!bytes) kept.push({ ...change, before: lost(before.blob, "unreadable") });
      else if (files > MAX_KEPT_FILES || size > MAX_KEPT_BYTES)
        kept.push({ ...change, before: lost(before.blob, "too_much") });
      else if (this.rules.holdsSecret(bytes.toString("latin1")))
        kept.push({ ...change, before: lost(before.blob, "secret") });
      else {
        await this.parts.putFile(bytes);
        kept.push(change);
      }
    }
    return kept;
  }

  private nextAt(): number {
    this.lastAt = Math.max(this.lastAt + 0.001, this.parts.clock.now());
    return this.lastAt;
  }
}

export const readRules = ({ mask, holdsKeys }: Pick<WatcherParts, "mask" | "holdsKeys">): ReadRules => ({
  holdsKeys,
  holdsSecret: (text) => mask.text(text) !== text,
});

/** The path with the folders above it, the topmost first: a call that creates a file may also create its folders. */
function withFolders(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) above.unshift(folder);
  return [...above, path];
}

const isUnchanged = (now: BigIntStats, { stats, at }: { stats: BigIntStats; at: bigint }): boolean =>
  now.ino === stats.ino &&
  now.size === stats.size &&
  now.mode === stats.mode &&
  now.mtimeNs === stats.mtimeNs &&
  now.ctimeNs === stats.ctimeNs &&
  at - stats.ctimeNs > COARSE_NS;

/** A version that could not be stored. Its mark matches no file. The hash of a secret is not recorded. */
const lost = (blob: string, why: Extract<FileVersion, { kind: "unkept" }>["why"]): FileVersion => ({
  kind: "unkept",
  why,
  mark: why === "secret" ? "secret" : blob,
});

const nowNs = (): bigint => BigInt(Date.now()) * 1_000_000n;

async function inBatches<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
  const found: B[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    found.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  return found;
}
