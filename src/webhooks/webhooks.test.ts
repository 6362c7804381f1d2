// Tests webhooks with a real HTTP server that can accept, fail, redirect, hang or be down.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import {
  acquireRun,
  admit,
  admitChild,
  contextAdded,
  modelCallFailed,
  modelCallStarted,
  runEnded,
  runSuspended,
  sendSignal,
} from "../stores/contract/kit.contract.ts";
import { asOlderVersion, withDamagedEvents } from "../stores/contract/other-version.fixture.ts";
import { overrideStore } from "../stores/override-store.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import { isIntranetAddress, isPublicAddress } from "../tools/web/public-address.ts";
import { configuredHooks } from "./configured-hooks.ts";
import { createDeliverer, type Hook } from "./deliver.ts";
import { signatureOf } from "./message.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let received: Received[];
let answer: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
  request.on("end", () => {
    received.push({ headers: request.headers, body });
    answer(response);
  });
});
const say =
  (status: number, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers).end("well");
  };

const clock = fakeClock();
let store: Store;
let url: string;

beforeEach(async () => {
  received = [];
  problems = [];
  answer = say(200);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  store = openSqliteStore({ path: ":memory:", clock });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await store.close();
});

const SECRET = "whsec_c2VjcmV0LW9mLWEtdGVhbQ==";

function hooks(over: object = {}): Hook[] {
  const hook = {
    url,
    form: "json",
    secretEnv: "HOOK",
    events: ["needs-you", "done", "failed"],
    private: true,
  };
  const server = { host: "127.0.0.1", port: 4470, names: [] };
  const webhooks = { team: { ...hook, ...over } } as NonNullable<
    Parameters<typeof configuredHooks>[0]["webhooks"]
  >;
  return configuredHooks(
    { webhooks, server },
    { HOOK: SECRET },
    { isPublic: isPublicAddress, isIntranet: isIntranetAddress },
  );
}

let problems: unknown[];
const onProblem = (problem: unknown): void => void problems.push(problem);

/** Simulates a process that has just started: it knows only what is in the store. */
const begin = (over: object = {}) => {
  const deliverer = createDeliverer({ store, clock, hooks: hooks(over), holder: "me", onProblem });
  return () => deliverer.deliver(new AbortController().signal);
};

const end = async (runId: string, type?: Parameters<typeof runEnded>[0]) =>
  (await acquireRun(store, runId)).append([runEnded(type)]);

describe("sending notices", () => {
  test("[WH3] a completed run sends a signed notice with a link to the run", async () => {
    const deliver = begin();
    await deliver();
    await admit(store, "r1", { userId: "ann" });
    await end("r1");
    await deliver();
    const [{ headers, body }] = received as [Received];
    const [id, time] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
    expect(id).toBe(`${store.id}.2`);
    expect(headers["webhook-signature"]).toBe(signatureOf(SECRET, `${id}.${time}.${body}`));
    expect(JSON.parse(body)).toMatchObject({
      type: "done",
      data: {
        run: { id: "r1", agent: "coder", userId: "ann", status: "completed", summary: "It works." },
        link: "http://127.0.0.1:4470/r/r1",
      },
    });
    expect(await store.outbox.deliveries("team", 5)).toMatchObject([{ outcome: "delivered", runId: "r1" }]);
  });

  test("[U32] a child's question sends one notice for the whole tree; runs that ended before the first webhook existed send no notice", async () => {
    await admit(store, "old");
    await end("old");
    const deliver = begin();
    await deliver();
    await admit(store, "r1");
    await admitChild(store, "c1", "r1", "r1");
    const root = await acquireRun(store, "r1");
    await (await acquireRun(store, "c1")).append([runSuspended("a")]);
    await root.append([runSuspended("b", { kind: "child_hitl", items: ["c1"], blockers: ["c1"] })]);
    await root.append([runSuspended("c", { kind: "child_hitl", items: ["c1", "c2"], blockers: ["c1"] })]);
    await root.append([{ type: "RUN_RESUMED", payload: { by: "ann" }, key: "d" }]);
    await root.append([runSuspended("e", { kind: "paused" })]);
    await deliver();
    expect(received.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data.link])).toEqual([
      ["needs-you", "http://127.0.0.1:4470/inbox"],
    ]);
  });

  test("a webhook gets only the events it asks for, in the format of Slack or ntfy; Slack messages escape the agent's text", async () => {
    const slack = begin({ events: ["failed"], form: "slack" });
    await slack();
    await admit(store, "r1", { task: "greet <!channel> & go" });
    await admit(store, "r2");
    const asks = await acquireRun(store, "r1");
    await asks.append([runSuspended("a", { kind: "approval", items: ["m1.0"] })]);
    await end("r2", "RUN_FAILED");
    await slack();
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      { text: "*coder has failed*\nIt works.\nhttp://127.0.0.1:4470/r/r2" },
    ]);
    await store.outbox.advance("team", 0);
    await begin({ events: ["needs-you"], form: "ntfy" })();
    expect(received[1]).toMatchObject({
      headers: {
        title: "coder needs you",
        priority: "high",
        click: "http://127.0.0.1:4470/inbox?item=r1%3Am1.0",
      },
      body: "greet <!channel> & go",
    });
    await store.outbox.advance("team", 0);
    await begin({ events: ["needs-you"], form: "slack" })();
    expect(received[2]!.body).toContain("greet &lt;!channel&gt; &amp; go");
  });
});

describe("an endpoint that fails", () => {
  async function withOneNotice(over: object = {}) {
    const deliver = begin(over);
    await deliver();
    await admit(store, "r1");
    await end("r1");
    return deliver;
  }
  const latest = async () => (await store.outbox.deliveries("team", 1))[0];

  test("[WH1] a failed notice is retried with growing delays and the same id, even by a new process", async () => {
    answer = say(503);
    const deliver = await withOneNotice();
    const first = (await deliver())!;
    expect(await latest()).toMatchObject({ outcome: "failed", detail: "503: well", attempts: 1 });
    await deliver();
    expect(received, "not before it is time").toHaveLength(1);
    clock.advance(first + 1);
    const second = (await begin()())!;
    expect(second).toBeGreaterThan(first);
    answer = say(204);
    clock.advance(second + 1);
    await begin()();
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await latest()).toMatchObject({ outcome: "delivered", attempts: 3 });
    await begin()();
    expect(received).toHaveLength(3);
  });

  test("[WH5] [36.13] after a restart, undelivered notices are sent immediately, oldest first", async () => {
    answer = say(503);
    let deliver = await withOneNotice();
    await admit(store, "r2");
    await end("r2");
    for (let i = 0; i < 9; i++) clock.advance((await deliver())! + 1);
    const waits = (await deliver())!;
    expect(waits, "the delays have grown").toBeGreaterThan(60_000);

    deliver = begin();
    expect((await deliver())!, "one more failure costs seconds").toBeLessThan(10_000);
    answer = say(200);
    received = [];
    await begin()();
    expect(received.map(({ body }) => JSON.parse(body).data.run.id)).toEqual(["r1", "r2"]);
  });

  test("[WH4] [36.13] restarts do not use up the attempts of a recent notice", async () => {
    answer = say(503);
    await withOneNotice();
    for (let i = 0; i < 201; i++) await begin()();
    expect(await latest()).toMatchObject({ outcome: "failed", attempts: 201 });
  });

  test.each([-1, 1])(
    "[WH4] [36.13] if the clock jumps by %i days, no notice is delayed or given up",
    async (days) => {
      answer = say(503);
      const deliver = await withOneNotice();
      await deliver();
      clock.set(clock.now() + days * 24 * 3_600_000 + 60_000);
      await deliver();
      expect(await latest()).toMatchObject({ outcome: "failed", attempts: 2 });
    },
  );

  test("[WH1] [36.13] if a journal cannot be read for a moment, its notice is sent later", async () => {
    await (await withOneNotice())();
    await admit(store, "r2");
    await end("r2");
    const away = async () => {
      throw new CadreError("STORAGE_UNUSABLE", "The file cannot be opened.");
    };
    const broken = overrideStore(store, { journal: { read: away } });
    const deliverer = createDeliverer({ store: broken, clock, hooks: hooks(), holder: "me", onProblem });
    await expect(deliverer.deliver(new AbortController().signal)).rejects.toThrow("cannot be opened");
    received = [];
    await begin()();
    expect(received).toHaveLength(1);
  });

  test("[36.13] the undelivered notices of a webhook are listed until they are delivered", async () => {
    answer = say(503);
    const deliverer = createDeliverer({ store, clock, hooks: hooks(), holder: "me", onProblem });
    const [hook] = hooks() as [Hook];
    expect(await deliverer.owed(hook)).toEqual({ notices: [], more: false });
    await (await withOneNotice())();
    expect(await deliverer.owed(hook)).toMatchObject({
      notices: [{ event: "done", runId: "r1" }],
      more: false,
    });
    answer = say(200);
    await begin()();
    expect(await deliverer.owed(hook)).toEqual({ notices: [], more: false });
  });

  test("[WH5] [36.13] a registered webhook gets the notices of runs that ended before its first delivery", async () => {
    const deliverer = createDeliverer({ store, clock, hooks: hooks(), holder: "me", onProblem });
    await deliverer.register();
    await admit(store, "r1");
    await end("r1");
    await deliverer.deliver(new AbortController().signal);
    expect(received).toHaveLength(1);
  });

  test.each([
    ["redirects", say(302, { location: "http://169.254.169.254/latest" }), /^302: redirects/],
    ["refuses the notice", say(400), /^400/],
  ])(
    "[WH4] [A42] if an endpoint %s, Cadre gives up the current notice and sends the next notice",
    async (_, how, detail) => {
      answer = how;
      const deliver = await withOneNotice();
      await deliver();
      expect(await latest()).toMatchObject({ outcome: "given up", detail: expect.stringMatching(detail) });
      answer = say(200);
      await admit(store, "r2");
      await end("r2");
      await deliver();
      expect(await latest()).toMatchObject({ outcome: "delivered", runId: "r2" });
    },
  );

  test("[WH4] after a day of failures, the notice is given up", async () => {
    const deliver = await withOneNotice({ url: "http://127.0.0.1:1/" });
    const next = (await deliver())!;
    expect(await latest()).toMatchObject({ outcome: "failed", detail: "nothing is listening there" });
    clock.advance(Math.max(next, 24 * 3_600_000) + 1);
    await deliver();
    expect(await latest()).toMatchObject({ outcome: "given up" });
  });

  test("[WH4] a notice is retried for one day after its first attempt, even if the notice itself is older", async () => {
    answer = say(503);
    await withOneNotice();
    clock.advance(3 * 24 * 3_600_000);
    const deliver = begin();
    const next = (await deliver())!;
    expect(await latest()).toMatchObject({ outcome: "failed", attempts: 1 });
    answer = say(204);
    clock.advance(next + 1);
    await deliver();
    expect(await latest()).toMatchObject({ outcome: "delivered", attempts: 2 });
  });

  test("[WH1] a lost connection is counted as a failed attempt; an attempt that Cadre's own shutdown interrupts is not", async () => {
    answer = (response) => response.socket?.destroy();
    const deliver = await withOneNotice();
    await deliver();
    expect(await latest()).toMatchObject({ outcome: "failed", detail: "the connection was cut" });
    const hanging = Promise.withResolvers<void>();
    answer = () => hanging.resolve();
    clock.advance(10_000);
    const shutdown = new AbortController();
    const delivery = createDeliverer({ store, clock, hooks: hooks(), holder: "me", onProblem }).deliver(
      shutdown.signal,
    );
    await hanging.promise;
    shutdown.abort();
    await delivery;
    expect(await latest()).toMatchObject({ attempts: 1 });
    answer = say(200);
    await begin()();
    expect(await latest()).toMatchObject({ outcome: "delivered", attempts: 2 });
  });

  test.each([
    [{ private: false, url: "https://127.0.0.1:1/" }, /private address/],
    [{ private: false, url: "https://localhost:1/" }, /private address/],
    [{ url: "http://169.254.169.254/latest" }, /webhooks may not reach/],
    [{ secretEnv: "UNSET" }, /^UNSET is not set$/],
  ])(
    "[A42] a webhook with the settings %o sends nothing, and the delivery record says why",
    async (over, detail) => {
      await (await withOneNotice(over))();
      expect(received).toEqual([]);
      expect(await latest()).toMatchObject({ outcome: "failed", detail: expect.stringMatching(detail) });
    },
  );

  test("[WH2] if two processes serve the same webhook, a notice is sent only once", async () => {
    const deliver = await withOneNotice();
    const other = createDeliverer({ store, clock, hooks: hooks(), holder: "another", onProblem });
    await Promise.all([deliver(), other.deliver(new AbortController().signal)]);
    expect(received).toHaveLength(1);
  });

  test("[E9] [WH1] [WH2] an older process does not send notices for events of a newer version; a newer process sends them immediately", async () => {
    const deliver = await withOneNotice();
    await asOlderVersion("RUN_STARTED", async () => {
      await deliver();
      await deliver();
    });
    expect(received).toEqual([]);
    expect(problems).toMatchObject([{ error: { code: "JOURNAL_NEWER" } }]);
    const newer = createDeliverer({ store, clock, hooks: hooks(), holder: "another", onProblem });
    await newer.deliver(new AbortController().signal);
    expect(received).toHaveLength(1);
  });

  test("[P9] [WH1] a damaged journal does not block later notices, even in a long backlog", async () => {
    const deliver = begin();
    await deliver();
    await admit(store, "damaged");
    await sendSignal(store, "damaged", contextAdded("c1"));
    await admit(store, "r1");
    const driver = await acquireRun(store, "r1");
    for (let i = 1; i <= 300; i++) await driver.append([modelCallStarted(`m${i}`), modelCallFailed(`m${i}`)]);
    await driver.append([runEnded()]);
    await withDamagedEvents("CONTEXT_ADDED", deliver);
    expect(received).toHaveLength(1);
  });
});
