// `cadre approve` at a terminal: shows every open item of the folder as a card, one after the other, and reads the answers as keys.
// The store is open only while an item is read or a decision is recorded. While the person thinks, another process can own the store
// and continue the runs; the new items of these runs are shown too.

import type { ApprovalView } from "../../api/client/types.ts";
import { withClient } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { createKeys } from "../terminal/keys.ts";
import { watchShutdown } from "../terminal/shutdown.ts";
import { continueIfIdle, nextDriverText } from "../view/drivers.ts";
import { type AskingClient, askAboutItem } from "./ask-person.ts";

export async function askInbox(invocation: Invocation, { starts }: { starts: boolean }): Promise<number> {
  const { io, screen, commandLine } = invocation;
  const leaving = watchShutdown(io);
  const client = briefClient(invocation);
  const keys = createKeys({ ...io, suspend: screen.suspend, onInterrupt: leaving.interrupt });
  const skipped = new Set<string>();
  let decided = 0;
  try {
    for (;;) {
      const open = (await client.get("/api/approvals")).approvals;
      const waiting = open.filter((item) => !skipped.has(roundKey(item)));
      const [item] = waiting;
      if (!item) break;
      const { task } = await client.get("/api/runs/{id}", { id: item.runId });
      const context = {
        client,
        screen,
        keys,
        env: io.env,
        othersWaiting: () => waiting.length - 1,
        askerOf: ({ path }: ApprovalView) => ({ path, task }),
      };
      if (!(await askAboutItem(item, context, leaving.signal))) skipped.add(roundKey(item));
      else {
        decided += 1;
        if (starts) await continueIfIdle(invocation);
      }
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    return leaving.exitCode();
  } finally {
    leaving.dispose();
  }
  if (decided === 0 && skipped.size === 0) screen.line("Nothing waits for a person here.");
  else if (skipped.size > 0) screen.line(`${skipped.size} left open: ${commandLine("approve")}`);
  if (decided > 0)
    screen.line(
      starts
        ? `The answers are recorded. The runs continue in the background, and \`${commandLine("runs")}\` shows their state.`
        : `The answers are recorded; ${await withClient(invocation, (open) => nextDriverText(open, commandLine))}.`,
    );
  return EXIT.done;
}

/** A call that is proposed again in a new round is a new question. */
const roundKey = ({ id, round }: ApprovalView): string => `${id}/${round}`;

/** A client that opens the store for one request at a time. */
function briefClient(invocation: Invocation): AskingClient {
  return {
    get: (...request) => withClient(invocation, (client) => client.get(...request)),
    post: (...request) => withClient(invocation, (client) => client.post(...request)),
  };
}
