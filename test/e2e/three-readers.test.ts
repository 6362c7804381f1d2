// Two browsers and a command line follow the same tree while the server is killed twice and restarted on the same port.
// Each reader continues from its last event. In the end each reader has seen every event of the journal exactly once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Project, project } from "../../src/cli/cli.fixture.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { type Browser, openBrowser, type Watching } from "../support/browser.ts";
import { kill, tailOf, up } from "../support/killed-server.ts";

const LEAD = "---\ndescription: Leads.\nmodel: scripted/desk\nagents: [clerk]\ntools: []\n---\nYou lead.\n";
const CLERK = "---\nkind: subagent\ndescription: Pays.\nmodel: scripted/desk\ntools: [Bash]\n---\nYou pay.\n";
/** The first model call gets no answer, so that the test can kill the server during this call. */
const DESK = `turns:
  - { when: { agent: lead, turn: 1 }, calls: [{ tool: delegate, input: { agent: clerk, task: pay twice } }] }
  - { when: { agent: lead }, report: { summary: All is paid. } }
  - { when: { agent: clerk, turn: 1, attempt: 1 }, delay: 600000, text: Never. }
  - { when: { agent: clerk, turn: 1 }, calls: [{ tool: Bash, input: { command: echo first >> paid.txt } }] }
  - { when: { agent: clerk, turn: 2 }, calls: [{ tool: Bash, input: { command: echo second >> paid.txt } }] }
  - { when: { agent: clerk }, report: { summary: Twice. } }
`;

let p: Project;
beforeEach(async () => {
  p = await project({ "agents/lead.md": LEAD, "agents/clerk.md": CLERK, "desk.script.yaml": DESK });
});
afterEach(() => p[Symbol.asyncDispose]());

test("[F46] [F12] [F13] [P10] two browsers and a command line see the same sequence of events, even if the server is killed twice", async () => {
  const first = await up(p, "0");
  const { port } = new URL(first.url);
  using ann = await openBrowser(first.link);
  using bob = await openBrowser((await ann.ask("POST", "/api/link", {})).body.url);
  const started = await ann.ask("POST", "/api/runs", { agent: "lead", task: "pay", attended: true });
  const runId: string = started.body.runId;
  const readers = [ann.follow(runId), bob.follow(runId)];
  const cli = tailOf(p, runId);
  const all = (fits: (event: JournalEvent) => boolean) =>
    Promise.all([...readers.map((reader) => reader.sees(fits)), cli.sees(fits)]);

  await all(({ type, runId: of }) => type === "MODEL_CALL_STARTED" && of !== runId);
  await kill(first.process);
  const second = await up(p, port);

  await all(isAsked("first"));
  const [item] = (await bob.ask("GET", "/api/approvals")).body.approvals;
  expect((await p.cadre("approve", item.id)).code).toBe(0);
  // [F12] The other readers see the decision, and sending the same decision again changes nothing.
  await all(isDecided(item.itemId));
  const again = await ann.ask("POST", `/api/approvals/${item.id}`, { decision: "approve" });
  expect(again).toEqual({ status: 200, body: { alreadyDecided: true } });

  await all(isAsked("second"));
  await kill(second.process);
  const third = await up(p, port);
  await expectOneWins(ann, bob);
  await Promise.all([...readers.map(({ ended }) => ended), cli.ended]);

  const journal: JournalEvent[] = (await ann.ask("GET", `/api/runs/${runId}/events?tree=1`)).body.events;
  const whole = journal.map(({ position }) => position);
  expect(whole).toEqual([...new Set(whole)].toSorted((a, b) => a - b));
  for (const reader of [...readers, cli]) expect(reader.events).toEqual(journal);
  expect(readers.map(({ losses }) => losses() > 1)).toEqual([true, true]);
  await expectLastEventId(bob, runId, readers[0]!);
  third.process.process.kill("SIGTERM");
  expect((await third.process.end()).code).toBe(0);
});

/** True if the event is the clerk's proposal to pay. */
const isAsked =
  (word: string) =>
  ({ type, payload }: JournalEvent): boolean =>
    type === "TOOL_PROPOSED" && JSON.stringify(payload).includes(`echo ${word}`);

const isDecided =
  (itemId: string) =>
  ({ type, payload }: JournalEvent): boolean =>
    type === "APPROVAL_DECIDED" && payload.itemId === itemId;

/** [F13] The person who decides second learns what was decided, when and by whom. The call follows the recorded decision. */
async function expectOneWins(ann: Browser, bob: Browser): Promise<void> {
  const [item] = (await ann.ask("GET", "/api/approvals")).body.approvals;
  const answers = await Promise.all([
    ann.ask("POST", `/api/approvals/${item.id}`, { decision: "approve" }),
    bob.ask("POST", `/api/approvals/${item.id}`, { decision: "reject", note: "no" }),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const winner = answers[0].status === 200 ? "approve" : "reject";
  const loser = answers.find(({ status }) => status === 409)!;
  expect(loser.body.error).toMatchObject({
    code: "ALREADY_DECIDED",
    details: { decision: winner, by: expect.any(String), at: expect.any(Number) },
  });
  const paid = winner === "approve" ? "first\nsecond\n" : "first\n";
  await expect.poll(() => readFileSync(join(p.folder, "paid.txt"), "utf8"), { timeout: 30_000 }).toBe(paid);
}

/** [F46] A reader can continue from an event id that it received before both kills. */
async function expectLastEventId(browser: Browser, runId: string, { ids, events }: Watching): Promise<void> {
  const missed = await browser.readOn(runId, ids[2]!);
  expect(missed).toEqual(events.slice(3));
}
