// Starts, kills and restarts a server while a `cadre` command follows a run.

import { expect } from "vitest";
import type { Project, Started } from "../../src/cli/cli.fixture.ts";
import type { JournalEvent } from "../../src/journal/events.ts";

export async function up(p: Project, port: string) {
  const process = p.start("up", "--port", port, "--no-open", "--json");
  const [line] = await process.shows(/^\{.*"url".*\}$/m);
  const { url, link } = JSON.parse(line) as { url: string; link: string };
  return { process, url, link };
}

export async function kill(server: Started): Promise<void> {
  server.process.kill("SIGKILL");
  await server.end();
}

export function tailOf(p: Project, runId: string) {
  const tail = p.start("tail", runId, "--json");
  const events = (): JournalEvent[] =>
    tail
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as JournalEvent);
  return {
    get events() {
      return events();
    },
    sees: (fits: (event: JournalEvent) => boolean) =>
      expect.poll(() => events().some(fits), { timeout: 60_000 }).toBe(true),
    ended: tail.end().then(({ code }) => expect(code).toBe(0)),
  };
}
