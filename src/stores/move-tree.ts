// Moves a tree from one store to another (E7).
// The move is committed in this store before anything is written to the other store. So the tree never runs in both stores.
// After the move, the tree can be exported again.

import { CadreError } from "../errors.ts";
import type { Ids, RunId } from "../ids.ts";
import type { UnjournaledState } from "../journal/events.ts";
import { readEvent } from "../journal/upcast.ts";
import type { RunRow } from "../projections/folds/run-row.ts";
import { broughtBy } from "./brought-authority.ts";
import { blobNameIn, digest, encodeBlob, neededBlobs } from "./hashes.ts";
import type { Store, StoredEvent } from "./store.ts";
import { readTree, treeLines } from "./tree-file.ts";

const PAGE = 1_000;

interface Parts {
  store: Store;
  ids: Ids;
  /** The version of Cadre. */
  version: string;
}

/**
 * Ends a tree in this store, and returns it as text that another store can import and continue. A tree that has ended is only copied.
 * `to` is the server to which the tree is sent.
 */
export async function moveOut(
  row: RunRow,
  { store, ids, version }: Parts,
  to?: string,
): Promise<{ lines: AsyncGenerator<string>; sentTo: string | undefined }> {
  const root = row.rootRunId;
  const roots = [...(await treesBehind(store, root)), root];
  // A tree with an unreadable journal is not moved, because the journal can be repaired only in this store.
  for (const each of roots) for (const { id } of await runsOf(store, each)) await store.journal.read(id);
  const { transferId, standing, sentTo } = await store.transfers.move(root, ids.nonce(), to);
  const head = { version, root, transferId: transferId ?? (await copyId(store, root)), standing };
  return { lines: textOf(store, roots, head), sentTo };
}

/** Exports a tree that stays in this store. The text can be read and checked, but not imported. */
export function copyOut(row: RunRow, { store, version }: Omit<Parts, "ids">): AsyncGenerator<string> {
  const root = row.rootRunId;
  return textOf(store, [root], { version, root, standing: [] });
}

/**
 * Imports a tree that another store exported. Importing the same transfer again changes nothing.
 * If the tree brings rights or work along, it is imported only if a person has accepted that (A83).
 */
export async function moveIn(
  text: string,
  store: Store,
  { folder, accepted }: { folder: string; accepted: boolean },
): Promise<{ root: RunId; existed: boolean; runs: number }> {
  const { transferId, ...tree } = readWhole(text);
  if (transferId === undefined)
    throw new CadreError(
      "UNPROCESSABLE",
      "This is a copy to read, not a tree to go on from: that is made by `cadre export --format cadre`. Nothing was imported.",
    );
  const brings = accepted ? [] : broughtBy(tree, folder);
  if (brings.length > 0)
    throw new CadreError(
      "UNPROCESSABLE",
      "This file brings work and permissions along, which apply only once a person has accepted them. Nothing was imported.",
      { brings },
    );
  const runs = new Set(tree.events.map(({ event }) => event.runId)).size;
  return { ...(await store.transfers.import({ transferId, ...tree })), runs };
}

/** Reports a damaged file as the caller's mistake. This store itself is not damaged. */
function readWhole(text: string): ReturnType<typeof readTree> {
  try {
    return readTree(text);
  } catch (error) {
    if (error instanceof CadreError)
      throw new CadreError("UNPROCESSABLE", error.message, error.details, error);
    throw error;
  }
}

/** The trees that this tree needs, oldest first: the trees that it continues, and the tree that pays for it. */
async function treesBehind(store: Store, root: RunId, seen = new Set([root])): Promise<RunId[]> {
  const needed: RunId[] = [];
  for (const row of await runsOf(store, root)) {
    const [first] = await store.journal.read(row.id, 0, 1);
    const continued = first?.type === "RUN_STARTED" ? first.payload.continues?.runId : undefined;
    for (const runId of [continued, row.budgetRunId]) {
      const behind = runId === undefined ? undefined : await store.runs.get(runId);
      if (!behind || seen.has(behind.rootRunId)) continue;
      seen.add(behind.rootRunId);
      await refuseAlive(store, behind.rootRunId, root);
      needed.push(...(await treesBehind(store, behind.rootRunId, seen)), behind.rootRunId);
    }
  }
  return needed;
}

async function refuseAlive(store: Store, behind: RunId, root: RunId): Promise<void> {
  const alive = (await runsOf(store, behind)).find(({ endedAt }) => endedAt === undefined);
  if (!alive) return;
  throw new CadreError(
    "CONFLICT",
    `${root} continues or draws on ${behind}, where run ${alive.id} has not ended. Nothing was moved: wait for it, or cancel it, and export then.`,
  );
}

async function runsOf(store: Store, root: RunId): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.runs.list({ root, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.runs);
    cursor = page.nextCursor;
    if (cursor === undefined) return rows;
  }
}

const COPY = "copy-";

/** Whether the first line of an export marks it as a copy of a tree that had already ended. */
export const isCopyHead = (line: string): boolean => line.includes(`"transferId":"${COPY}`);

/** Derives the same id for the same tree, so that a copy is imported only once. */
async function copyId(store: Store, root: RunId): Promise<string> {
  const heads = await Promise.all((await runsOf(store, root)).map(({ id }) => store.journal.head(id)));
  return `${COPY}${digest(heads.map((head) => head?.hash).join("\n")).slice(0, 32)}`;
}

function textOf(
  store: Store,
  roots: readonly RunId[],
  head: {
    version: string;
    root: RunId;
    transferId?: string;
    standing: { runId: RunId; standing: UnjournaledState }[];
  },
): AsyncGenerator<string> {
  const moved = head.transferId === undefined ? undefined : head.root;
  return treeLines(head, blobsFor(store, roots), eventsOf(store, roots, moved));
}

/** `moved` means that the tree ended in this store with RUN_MOVED. The export leaves that event out. */
async function* eventsOf(store: Store, roots: readonly RunId[], moved?: RunId): AsyncGenerator<StoredEvent> {
  for (const root of roots) {
    for (let after = 0; ; ) {
      const page = await store.transfers.storedEvents(root, after, PAGE);
      for (const event of page) if (event.type !== "RUN_MOVED" || root !== moved) yield event;
      if (page.length < PAGE) break;
      after = page.at(-1)!.position;
    }
  }
}

async function* blobsFor(
  store: Store,
  roots: readonly RunId[],
): AsyncGenerator<{ name: string; stored: string }> {
  const seen = new Set<string>();
  for await (const { text, ...place } of eventsOf(store, roots)) {
    const whole = blobNameIn(text);
    const event = readEvent({ ...place, text: (whole && (await store.blobs.get(whole))) ?? text });
    for (const name of neededBlobs(event, text)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const value = await store.blobs.get(name);
      if (value === undefined)
        throw new CadreError(
          "JOURNAL_CORRUPT",
          `The stored value ${name}, which run ${place.runId} needs, is missing. Nothing was moved; the rest of the store is unharmed.`,
        );
      yield { name, stored: encodeBlob(value).stored };
    }
  }
}
