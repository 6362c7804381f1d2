// Tests event streams over a real socket: no gaps, no repeats, no leaks.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../clock.ts";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { overrideStore } from "../../stores/override-store.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import type { CommitListener, Store } from "../../stores/store.ts";
import { type CadreClient, createClient, isUnreachable } from "../client/client.ts";
import type { StreamItem } from "../client/types.ts";
import {
  type Api,
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  SOCKET_KEY,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../fixtures/api.fixture.ts";
import { createStreamWriter, SlowReaderError } from "./stream-writer.ts";

const writer: Script = () => ({ text: "one two three four", chunk: 4 });
const clerk: Script = ({ turn }) =>
  turn > 1 ? { report: { summary: "paid" } } : { calls: [{ tool: "Pay", input: { to: "ann", amount: 5 } }] };
const WRITER =
  "---\nname: writer\ndescription: Writes.\nmodel: scripted/writer\ntools: []\n---\nYou write.\n";

let project: ReturnType<typeof tempProject>;
let store: Store;
let runtime: RuntimeAssembly;
let api: Api;

const open = () => openSqliteStore({ path: `${project.folder}/cadre.db`, clock: systemClock });

async function begin(): Promise<void> {
  const { folder } = project;
  store = open();
  const tools = [payTool().tool];
  runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    store,
    tools,
    scripts: { clerk, writer },
  });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
}

async function end(): Promise<void> {
  await api.close();
  await runtime.stop();
  await store.close();
}

beforeEach(async () => {
  project = tempProject({ "agents/clerk.md": CLERK, "agents/writer.md": WRITER });
  await begin();
});

afterEach(async () => {
  vi.useRealTimers();
  await end();
  project.remove();
});

const start = async (agent: string) =>
  (await api.client.post("/api/runs", { body: { agent, task: "do" } })).runId;
const forever = new AbortController().signal;
const eventsIn = (items: readonly StreamItem[]): JournalEvent[] =>
  items.flatMap((item) => (item.type === "event" ? [item.event] : []));

async function collect(
  stream: AsyncGenerator<StreamItem>,
  enough: (items: StreamItem[]) => boolean = () => false,
) {
  const items: StreamItem[] = [];
  for await (const item of stream) {
    items.push(item);
    if (enough(items)) break;
  }
  return items;
}

/** Reads a stream line by line, as a browser would. */
async function raw(path: string, headers: Record<string, string> = {}, enough = /event: end\n/) {
  const response = await api.fetch(`http://cadre${path}`, {
    headers: { Accept: "text/event-stream", ...headers },
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (enough.test(text)) break;
  }
  return { text, response, ids: Array.from(text.matchAll(/^id: (.*)$/gm), (found) => found[1]!) };
}

const note = (id: string): EventBody => ({
  type: "CONTEXT_ADDED",
  payload: { id, source: "person", text: id },
});

describe("the stream of one run", () => {
  test("the stream of a run contains every event and ends with the run", async () => {
    const runId = await start("writer");
    const items = await collect(api.client.follow({ runId, signal: forever }));
    expect(eventsIn(items)).toEqual(await store.journal.read(runId));
    expect(isEnd(eventsIn(items).at(-1)!)).toBe(true);
  });

  test("the texts of the deltas add up to the model's whole text", async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const feed = collect(api.client.follow({ signal: stop.signal }), (items) => {
      const last = items.at(-1)!;
      if (last.type === "delta") seen.push(last.delta.text);
      return last.type === "event" && isEnd(last.event);
    });
    await vi.waitFor(() => expect(api.listeners.deltas).toBe(1));
    await start("writer");
    await feed;
    expect(seen.join("")).toBe("one two three four");
  });

  test("journal events have an id but no name, so that `onmessage` receives them", async () => {
    const runId = await start("writer");
    await eventsUntil(api, runId, isEnd);
    const { text, ids, response } = await raw(`/api/runs/${runId}/events`);
    const journal = await store.journal.read(runId);
    expect(response.headers.get("Content-Type")).toContain("text/event-stream");
    expect(ids).toEqual(journal.map(({ position }) => `${store.id}.${position}`));
    const blocks = text.split("\n\n").filter((block) => block.startsWith("id:"));
    expect(blocks.map((block) => block.split("\n").length)).toEqual(journal.map(() => 2));
    expect((await raw(`/api/runs/${runId}/events?stream=1`, { Accept: "*/*" })).ids).toEqual(ids);
  });

  test("[F49] two readers that connect after the run has ended both get its last event", async () => {
    const runId = await start("writer");
    await eventsUntil(api, runId, isEnd);
    const streams = [1, 2].map(() => collect(api.client.follow({ runId, signal: forever })));
    for (const items of await Promise.all(streams)) expect(isEnd(eventsIn(items).at(-1)!)).toBe(true);
    const { position } = (await store.journal.read(runId)).at(-1)!;
    expect(await collect(api.client.follow({ runId, after: position, signal: forever }))).toEqual([]);
  });

  test("if the client asks for it, the stream stays open after the run has ended", async () => {
    const runId = await start("writer");
    await eventsUntil(api, runId, isEnd);
    const stop = new AbortController();
    const stream = api.client.follow({ runId, onward: true, signal: stop.signal });
    await collect({ [Symbol.asyncIterator]: () => stream } as typeof stream, (items) => {
      if (isEnd(eventsIn(items).at(-1)!)) setTimeout(() => stop.abort(), 20);
      return false;
    });
    expect(stop.signal.aborted).toBe(true);
  });
});

describe("readers that reconnect", () => {
  test("[F46] a reader that reconnects with its last id after a restart gets the missed events in order, each once", async () => {
    const runId = await start("clerk");
    await waitForApprovals(api, runId);
    const first = await raw(`/api/runs/${runId}/events`, {}, /RUN_SUSPENDED.*\n\n/);
    await end();
    await begin();
    const [item] = (await api.client.get("/api/approvals", { run: runId })).approvals;
    await api.client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "approve" } });
    await eventsUntil(api, runId, isEnd);
    const lastId = first.ids.at(-1)!;
    const second = await raw(`/api/runs/${runId}/events`, { "Last-Event-ID": lastId });
    expect(second.text).not.toContain("event: reset");
    const journal = await store.journal.read(runId);
    expect([...first.ids, ...second.ids]).toEqual(journal.map(({ position }) => `${store.id}.${position}`));
    const header = await raw(`/api/runs/${runId}/events?after=0`, { "Last-Event-ID": lastId });
    expect(header.ids).toEqual(second.ids);
  });

  test.each([
    ["of another store", () => "elsewhere.3"],
    ["from the future", () => `${store.id}.999999`],
    ["that is invalid", () => "nonsense"],
    ["without a number", () => `${store.id}.x`],
  ])("[F46] a reader with an id %s gets a reset and then all events", async (_, id) => {
    const runId = await start("writer");
    await eventsUntil(api, runId, isEnd);
    const { text, ids } = await raw(`/api/runs/${runId}/events`, { "Last-Event-ID": id() });
    expect(text.indexOf("event: reset")).toBeGreaterThan(-1);
    expect(text.indexOf("event: reset")).toBeLessThan(text.indexOf("id: "));
    expect(ids).toHaveLength((await store.journal.read(runId)).length);
    const items = await collect(api.client.follow({ runId, after: 999_999, signal: forever }));
    expect(items[0]).toEqual({ type: "reset" });
  });

  test("if the owner process stops, a reader continues at the next owner process and gets every event once", async () => {
    const runId = await start("clerk");
    await waitForApprovals(api, runId);
    const seen: JournalEvent[] = [];
    const client = api.client;
    const lost = (async () => {
      for await (const item of client.follow({ runId, signal: forever })) {
        if (item.type === "event") seen.push(item.event);
      }
    })().catch((error: unknown) => error);
    await vi.waitFor(() => expect(seen.at(-1)?.type).toBe("RUN_SUSPENDED"));
    await end();
    expect(isUnreachable(await lost)).toBe(true);
    await begin();
    const rest = collect(api.client.follow({ runId, after: seen.at(-1)!.position, signal: forever }));
    const [item] = (await api.client.get("/api/approvals", { run: runId })).approvals;
    await api.client.post("/api/approvals/{id}", { id: item!.id, body: { decision: "reject" } });
    expect([...seen, ...eventsIn(await rest)]).toEqual(await store.journal.read(runId));
  });
});

describe("streams of several runs", () => {
  test("[F47] readers that subscribe during many writes get every event once and in order", async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => start("clerk")));
    await Promise.all(runs.map((runId) => waitForApprovals(api, runId)));
    const TOTAL = 1_000;
    let written = 0;
    const write = async (runId: string) => {
      while (written < TOTAL) {
        const id = `n${written++}`;
        await store.journal.append({ runId, after: 0, events: [note(id)] });
      }
    };
    const readers: Promise<JournalEvent[]>[] = [];
    const read = (client: CadreClient) =>
      collect(
        client.follow({ signal: forever }),
        (items) => eventsIn(items.slice(-1))[0]?.payload !== undefined && last(items) === `n${TOTAL}`,
      ).then(eventsIn);
    const last = (items: StreamItem[]) => (eventsIn(items.slice(-1))[0]!.payload as { id?: string }).id;
    const joining = (async () => {
      for (let i = 0; i < 50; i++) {
        readers.push(read(api.client));
        await api.client.get("/api/health");
      }
    })();
    await Promise.all([...runs.map(write), joining]);
    await store.journal.append({ runId: runs[0]!, after: 0, events: [note(`n${TOTAL}`)] });
    const all = await Promise.all(readers);
    expect(all).toHaveLength(50);
    const positions = (await store.journal.readAll(0, 100_000)).map(({ position }) => position);
    for (const events of all) {
      expect(events.map(({ position }) => position)).toEqual(positions.slice(0, events.length));
      expect(events.length).toBeGreaterThan(TOTAL);
    }
  });

  test("the stream of a tree includes a child that starts later, but no other trees", async () => {
    const parent = await start("clerk");
    const other = await start("clerk");
    await waitForApprovals(api, parent);
    await waitForApprovals(api, other);
    const [first] = await store.journal.read(parent);
    const stop = new AbortController();
    const reading = collect(
      api.client.follow({ runId: parent, tree: true, signal: stop.signal }),
      (items) => (eventsIn(items).at(-1)?.payload as { id?: string } | undefined)?.id === "last",
    );
    await vi.waitFor(() => expect(api.listeners.deltas).toBe(1));
    const child = `c${"1".repeat(21)}`;
    await store.runs.start(child, {
      ...(first!.payload as object),
      rootRunId: parent,
      parentRunId: parent,
    } as never);
    await store.journal.append({ runId: other, after: 0, events: [note("elsewhere")] });
    await store.journal.append({ runId: child, after: 0, events: [note("in the child")] });
    await store.journal.append({ runId: parent, after: 0, events: [note("last")] });
    const events = eventsIn(await reading);
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([parent, child]));
    expect(events.filter(({ runId }) => runId === child).length).toBeGreaterThanOrEqual(2);
  });
});

test("the stream of one run does not include its children", async () => {
  const parent = await start("clerk");
  await waitForApprovals(api, parent);
  const [first] = await store.journal.read(parent);
  const reading = collect(
    api.client.follow({ runId: parent, signal: forever }),
    (items) => (eventsIn(items).at(-1)?.payload as { id?: string } | undefined)?.id === "last",
  );
  await vi.waitFor(() => expect(api.listeners.commits).toBe(1));
  const child = `c${"2".repeat(21)}`;
  const begun = { ...(first!.payload as object), rootRunId: parent, parentRunId: parent };
  await store.runs.start(child, begun as never);
  await store.journal.append({ runId: child, after: 0, events: [note("in the child")] });
  await store.journal.append({ runId: parent, after: 0, events: [note("last")] });
  expect(new Set(eventsIn(await reading).map(({ runId }) => runId))).toEqual(new Set([parent]));
});

describe("readers that disconnect or stall", () => {
  const nobodyListens = () => vi.waitFor(() => expect(api.listeners).toEqual({ deltas: 0, commits: 0 }));

  test("however a reader disconnects, all its subscriptions end", async () => {
    const runId = await start("clerk");
    await waitForApprovals(api, runId);
    await nobodyListens();
    const stop = new AbortController();
    const aborted = collect(api.client.follow({ runId, signal: stop.signal }));
    const inProcess = createClient({ fetch: async (url, init) => api.app.fetch(new Request(url, init)) });
    const local = collect(inProcess.follow({ runId, signal: stop.signal }));
    const destroyed = request({
      socketPath: api.path,
      path: "/api/journal",
      headers: SOCKET_KEY,
      agent: false,
    }).end();
    destroyed.on("error", () => {});
    await once(destroyed, "response");
    await vi.waitFor(() => expect(api.listeners).toEqual({ deltas: 1, commits: 1 }));
    stop.abort();
    destroyed.destroy();
    await Promise.all([aborted, local]);
    await nobodyListens();
    expect((await api.fetch(`http://cadre/api/journal`, { method: "HEAD" })).status).toBe(200);
    await nobodyListens();
  });

  test("a comment every 15 seconds keeps a silent stream alive", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const runId = await start("clerk");
    const response = await api.fetch(`http://cadre/api/runs/${runId}/events?stream=1`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain(": hello");
    vi.advanceTimersByTime(15_000);
    let text = "";
    while (!text.includes(": still here")) text += (await reader.read()).value;
    await reader.cancel();
  });

  test("[F48] if a reader reads nothing, its queue stays bounded, and the writer reports a slow reader after 30 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const outlet = createStreamWriter();
    const line = "x".repeat(64 * 1024);
    let lines = 0;
    const writing = (async () => {
      for (;;) {
        await outlet.write(line);
        lines++;
      }
    })().catch((error: unknown) => error);
    await vi.waitFor(() => expect(lines).toBe(4));
    outlet.writeIfRoom(new TextEncoder().encode("left out"));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(lines).toBe(4);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await writing).toBeInstanceOf(SlowReaderError);
    outlet.writeLast("hint");
    outlet.close();
    const text = await new Response(outlet.readable).text();
    expect(text).toBe(`${line.repeat(4)}hint`);
  });

  test("[F48] a slow reader that reconnects gets every event it missed", async () => {
    const runId = await start("clerk");
    await waitForApprovals(api, runId);
    const big = (i: number): EventBody => ({
      type: "CONTEXT_ADDED",
      payload: { id: `n${i}`, source: "person", text: "x".repeat(100_000) },
    });
    for (let i = 0; i < 60; i++) await store.journal.append({ runId, after: 0, events: [big(i)] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const slow = request({
      socketPath: api.path,
      path: `/api/runs/${runId}/events?stream=1`,
      headers: SOCKET_KEY,
      agent: false,
    }).end();
    const [incoming] = (await once(slow, "response")) as [IncomingMessage];
    // The client reads nothing. The server writes until the queue is full, waits, and disconnects the client.
    while (api.listeners.deltas > 0) {
      await vi.advanceTimersByTimeAsync(1_000);
      await nextTurn();
    }
    vi.useRealTimers();
    const text = await new Response(Readable.toWeb(incoming) as ReadableStream).text();
    expect(text).toMatch(/event: resync\ndata: \{\}\n\n$/);
    const ids = Array.from(text.matchAll(/^id: .*\.(\d+)$/gm), (found) => Number(found[1]));
    const all = (await store.journal.read(runId)).map(({ position }) => position);
    expect(ids.length).toBeLessThan(all.length);
    const missing = await api.client.events(runId, ids.at(-1)!);
    expect([...ids, ...missing.map(({ position }) => position)]).toEqual(all);
  });
});

describe("a store on another machine", () => {
  /** Simulates a network: events can be committed while a read is under way, and several notices can arrive late and at once. */
  function farAway() {
    let heard: JournalEvent[] = [];
    let tellers: CommitListener[] = [];
    const far = {
      reads: 0,
      holdsNews: false,
      /** Called when a read is done but its result has not arrived yet. */
      onAnswer: async (_page: readonly JournalEvent[]): Promise<void> => {},
      releaseNews(): void {
        const events = heard;
        heard = [];
        for (const tell of tellers) tell(events, []);
      },
    };
    const { journal } = api.parts.store;
    const remote = overrideStore(api.parts.store, {
      journal: {
        async readAll(...args) {
          far.reads++;
          const page = await journal.readAll(...args);
          await far.onAnswer(page);
          return page;
        },
        onCommit(tell: CommitListener) {
          tellers.push(tell);
          const end = journal.onCommit((events) => {
            heard.push(...events);
            if (!far.holdsNews) far.releaseNews();
          });
          return () => {
            tellers = tellers.filter((other) => other !== tell);
            end();
          };
        },
      },
    });
    const app = api.over(remote);
    return Object.assign(far, {
      client: createClient({ fetch: async (url, init) => app.request(url, init) }),
      app,
    });
  }

  const isLast = (items: StreamItem[]): boolean =>
    (eventsIn(items.slice(-1))[0]?.payload as { id?: string } | undefined)?.id === "last";
  const add = (runId: string, id: string) => store.journal.append({ runId, after: 0, events: [note(id)] });
  const startWaitingRun = async (): Promise<string> => {
    const runId = await start("clerk");
    await waitForApprovals(api, runId);
    return runId;
  };

  test("[F47] the stream contains an event that was committed during a read", async () => {
    const runId = await startWaitingRun();
    const far = farAway();
    let wrote = false;
    far.onAnswer = async (page) => {
      if (page.length > 0 || wrote) return;
      wrote = true;
      await add(runId, "meanwhile");
      await nextTurn();
    };
    const reading = collect(far.client.follow({ runId, signal: forever }), isLast);
    await vi.waitFor(() => expect(wrote).toBe(true));
    await nextTurn();
    await add(runId, "last");
    expect(eventsIn(await reading)).toEqual(await store.journal.read(runId));
  });

  test("[F47] if a batch contains events that the reader already has, the stream does not repeat them", async () => {
    const runId = await startWaitingRun();
    const far = farAway();
    let emptyAnswers = 0;
    far.onAnswer = async (page) => {
      if (page.length === 0) emptyAnswers++;
    };
    const first = collect(far.client.follow({ runId, signal: forever }), isLast);
    await vi.waitFor(() => expect(emptyAnswers).toBe(1));
    far.holdsNews = true;
    await add(runId, "known to the second by reading");
    const second = collect(far.client.follow({ runId, signal: forever }), isLast);
    await vi.waitFor(() => expect(emptyAnswers).toBe(2));
    await add(runId, "last");
    await nextTurn();
    far.releaseNews();
    const journal = await store.journal.read(runId);
    for (const read of [first, second]) expect(eventsIn(await read)).toEqual(journal);
  });

  test("[F48] the events for a stalled reader wait in the store and not in memory", async () => {
    const runId = await startWaitingRun();
    const far = farAway();
    const response = await far.app.request(`/api/runs/${runId}/events?stream=1`);
    await vi.waitFor(() => expect(far.reads).toBe(2));
    await nextTurn();
    const big = (i: number): EventBody => ({
      type: "CONTEXT_ADDED",
      payload: { id: `n${i}`, source: "person", text: "x".repeat(100_000) },
    });
    for (let i = 0; i < 60; i++) {
      await store.journal.append({ runId, after: 0, events: [big(i)] });
      await nextTurn();
    }
    // Events that did not fit into the queue are read later, when the queue has room.
    expect(far.reads).toBe(3);
    await api.client.post("/api/runs/{id}/cancel", { id: runId });
    const ids = Array.from((await response.text()).matchAll(/^id: .*\.(\d+)$/gm), (found) =>
      Number(found[1]),
    );
    expect(ids).toEqual((await store.journal.read(runId)).map(({ position }) => position));
    expect(far.reads).toBeGreaterThan(3);
  });
});
