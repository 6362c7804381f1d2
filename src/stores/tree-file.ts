// A tree of runs as a text file that can be moved, read and checked anywhere (E7). Its lines are the head, the blobs, the events in commit order, and the end.
// Payloads are written byte for byte, because the hash chains cover their bytes.
//  1  Reading verifies each event against its hash chain, each blob against its name, and the whole file against its checksum.
//  2  An incomplete file is refused, and the error names the run and the event.

import { z } from "zod";
import { CadreError } from "../errors.ts";
import type { RunId } from "../ids.ts";
import { type JournalEvent, UnjournaledState } from "../journal/events.ts";
import { readEvent } from "../journal/upcast.ts";
import {
  blobNameIn,
  CHAIN_START,
  type ChainLink,
  chainHash,
  decodeBlob,
  digest,
  neededBlobs,
} from "./hashes.ts";
import type { CarriedTree, StoredEvent } from "./store.ts";

export const TREE_FORMAT = 1;

const Head = z.object({
  cadre: z.literal("tree"),
  format: z.int(),
  /** The version of Cadre that wrote the file. */
  version: z.string(),
  root: z.string(),
  /** The id of the transfer. Absent if the file is a copy that can only be read and checked. */
  transferId: z.string().optional(),
  standing: z.array(z.object({ runId: z.string(), standing: UnjournaledState })).default([]),
});
export type TreeHead = z.infer<typeof Head>;

const Blob = z.object({ blob: z.string(), text: z.string() });
const Event = z.object({
  run: z.string(),
  seq: z.int(),
  ts: z.number(),
  type: z.string(),
  key: z.string(),
  payload: z.unknown(),
  hash: z.string(),
});
const End = z.object({ end: z.object({ lines: z.int(), sum: z.string() }) });

/** Yields the text line by line, including line breaks. */
export async function* treeLines(
  head: Omit<TreeHead, "cadre" | "format">,
  blobs: AsyncIterable<{ name: string; stored: string }>,
  events: AsyncIterable<StoredEvent>,
): AsyncGenerator<string, void> {
  const sum = createSum();
  yield sum.add(
    JSON.stringify({ cadre: "tree", format: TREE_FORMAT, ...head } satisfies z.input<typeof Head>),
  );
  for await (const { name, stored } of blobs) yield sum.add(JSON.stringify({ blob: name, text: stored }));
  for await (const event of events) yield sum.add(eventLine(event));
  yield `${JSON.stringify({ end: sum.end() })}\n`;
}

/** The payload is copied and not serialized again, because the hash chain covers its bytes. */
function eventLine({ runId, seq, ts, type, key, text, hash }: StoredEvent): string {
  const place = JSON.stringify({ run: runId, seq, ts, type, key });
  return `${place.slice(0, -1)},"payload":${text},"hash":"${hash}"}`;
}

/** A checksum over all lines in their order. It is updated with each line. */
function createSum() {
  let lines = 0;
  let sum = "";
  return {
    add(line: string): string {
      lines++;
      sum = digest(`${sum}\n${line}`);
      return `${line}\n`;
    },
    end: () => ({ lines, sum }),
  };
}

export type TreeFile = Omit<CarriedTree, "transferId"> & Pick<TreeHead, "transferId" | "version">;

/** Reads and verifies a whole file. */
export function readTree(text: string): TreeFile {
  // A file that was cut off between two lines has no end line.
  const lines = text.replace(/\n$/, "").split("\n");
  const sum = createSum();
  const head = readHead(lines[0] ?? "");
  sum.add(lines[0]!);
  const chains = createChains();
  for (const line of lines.slice(1)) {
    const parsed = parseLine(line);
    const end = End.safeParse(parsed);
    if (end.success) {
      if (JSON.stringify(end.data.end) !== JSON.stringify(sum.end()))
        throw chains.damage("the sum does not match");
      return treeOf(head, chains);
    }
    const blob = Blob.safeParse(parsed);
    if (blob.success) chains.addBlob(blob.data);
    else chains.addEvent(Event.safeParse(parsed).data);
    sum.add(line);
  }
  throw chains.damage("it is cut off, its end is missing");
}

function readHead(line: string): TreeHead {
  const parsed = Head.safeParse(parseLine(line));
  if (!parsed.success)
    throw new CadreError("UNPROCESSABLE", {
      reason: "This is no tree that Cadre has exported, as `cadre export --format cadre` writes it.",
      assurance: "Nothing was changed.",
    });
  if (parsed.data.format > TREE_FORMAT)
    throw new CadreError("JOURNAL_NEWER", {
      reason: `The file has format ${parsed.data.format}; this version of Cadre reads up to ${TREE_FORMAT}: use version ${parsed.data.version}, which wrote it.`,
      assurance: "Nothing was changed.",
    });
  return parsed.data;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

type Chains = ReturnType<typeof createChains>;

/** Verifies the chain of every run of a file, event by event. */
function createChains() {
  const heads = new Map<RunId, { seq: number; hash: string }>();
  const events: { event: JournalEvent; text: string; hash: string }[] = [];
  const blobs = new Map<string, string>();
  const damage = (what: string, at = events.at(-1)?.event): CadreError => {
    const where = at ? `after event ${at.seq} of run ${at.runId}` : "before its first event";
    return corrupt(`The file is damaged ${where}: ${what}.`, at);
  };
  const placeOf = (run: RunId, seq: number): string => `event ${seq} of run ${run}`;
  return {
    events,
    blobs,
    damage,
    addBlob({ blob, text }: z.infer<typeof Blob>): void {
      if (!blobFits(blob, text)) throw damage(`the stored value ${blob} is not what its name says`);
      blobs.set(blob, text);
    },
    addEvent(given: z.infer<typeof Event> | undefined): void {
      if (!given) throw damage("a line cannot be read");
      const { run, payload, hash, ...place } = given;
      const before = heads.get(run) ?? { seq: 0, hash: CHAIN_START };
      const link: ChainLink = { ...place, text: JSON.stringify(payload) ?? "" };
      if (link.seq !== before.seq + 1 || chainHash(before.hash, link) !== hash)
        throw corrupt(
          `The file is damaged at ${placeOf(run, before.seq + 1)}: its checksum does not match.`,
          {
            runId: run,
            seq: before.seq + 1,
          },
        );
      heads.set(run, { seq: link.seq, hash });
      const event = readEvent({
        runId: run,
        position: events.length + 1,
        ...place,
        text: wholeText(link, blobs),
      });
      const missing = neededBlobs(event, link.text).find((name) => !blobs.has(name));
      if (missing !== undefined)
        throw corrupt(`The file is damaged: ${placeOf(run, link.seq)} needs the value ${missing}.`, event);
      events.push({ event, text: link.text, hash });
    },
  };
}

function blobFits(name: string, stored: string): boolean {
  try {
    return decodeBlob(name, stored) !== undefined;
  } catch {
    return false;
  }
}

const wholeText = ({ text }: ChainLink, blobs: ReadonlyMap<string, string>): string =>
  blobs.get(blobNameIn(text) ?? "") ?? text;

/** Checks that every run of the file has a start, and that its root and parent are in the file. */
function treeOf({ root, transferId, version, standing }: TreeHead, { events, blobs }: Chains): TreeFile {
  const runs = new Set(events.map(({ event }) => event.runId));
  for (const { event } of events) {
    if (event.seq !== 1) continue;
    const { rootRunId, parentRunId = rootRunId } =
      event.type === "RUN_STARTED" ? event.payload : { rootRunId: "", parentRunId: "" };
    if (!runs.has(rootRunId) || !runs.has(parentRunId))
      throw corrupt(
        `The file is damaged: run ${event.runId} belongs to a run that is not in the file.`,
        event,
      );
  }
  if (!runs.has(root)) throw corrupt(`The file is damaged: its root ${root} is missing.`);
  return {
    root,
    transferId,
    version,
    events,
    blobs,
    standing: new Map(standing.map((each) => [each.runId, each.standing])),
  };
}

function corrupt(message: string, at?: { runId: RunId; seq: number }): CadreError {
  const details = at && { runId: at.runId, seq: at.seq };
  return new CadreError(
    "JOURNAL_CORRUPT",
    { reason: message, assurance: "Nothing was changed; take another copy of it." },
    details,
  );
}
