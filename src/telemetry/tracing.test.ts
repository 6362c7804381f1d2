// Tests tracing with a real receiver, while an older and a newer version of Cadre run at the same time.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openReceiver, type Receiver } from "../../test/support/otlp-receiver.ts";
import { fakeClock } from "../clock.ts";
import { otlpSettings } from "../config/otlp.ts";
import { shapesOnly } from "../journal/masking/mask.fixture.ts";
import {
  acquireRun,
  admit,
  agentThought,
  modelCallStarted,
  runEnded,
} from "../stores/contract/kit.contract.ts";
import { asOlderVersion } from "../stores/contract/other-version.fixture.ts";
import { digest } from "../stores/hashes.ts";
import { openSqliteStore } from "../stores/sqlite/store.ts";
import type { Store } from "../stores/store.ts";
import { startTracing } from "./tracing.ts";

let receiver: Receiver;
let store: Store;
beforeEach(async () => {
  receiver = await openReceiver();
  store = openSqliteStore({ path: ":memory:", clock: fakeClock() });
});
afterEach(async () => {
  await store.close();
  await receiver[Symbol.asyncDispose]();
});

test("[E9] [TL1] [TL2] an older process does not send spans of a newer version; a newer process sends them immediately", async () => {
  const problems: unknown[] = [];
  const begin = (holder: string) =>
    startTracing({
      ...{ store, digest, holder, version: "0.0.0" },
      mask: shapesOnly(),
      otlp: otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }),
      onProblem: (problem) => problems.push(problem),
    });
  await (await begin("of before"))();
  await admit(store, "r1");
  await (await acquireRun(store, "r1")).append([modelCallStarted("m1"), agentThought("m1"), runEnded()]);

  const stopOlder = await asOlderVersion("AGENT_THOUGHT", async () => {
    const stop = await begin("older");
    await vi.waitFor(() => expect(problems).toHaveLength(1));
    return stop;
  });
  expect(problems).toMatchObject([{ error: { code: "JOURNAL_NEWER" } }]);
  await (await begin("newer"))();
  expect(receiver.spans.map(({ name }) => name.split(" ")[0])).toEqual(["chat", "step", "invoke_agent"]);
  await stopOlder();
});
