// What is made of the journals and not written with them: the messages, what each tree has used, and the words that
// runs are found by. Caught up when somebody asks, page by page, so that appends go on in between.

import type { JournalEvent } from "../../journal/events.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { MessageFilter, RunFilter, TreeUsageFilter } from "../store.ts";
import { Committer } from "./commit-loop.ts";
import { listMessages, recordEvents } from "./messages.ts";
import { readPage } from "./reader.ts";
import { indexEvents } from "./search.ts";
import { getMeta, type Sql, setMeta } from "./sql.ts";
import { listTreeUsages, takeUsage } from "./tree-usage.ts";

const PAGE_EVENTS = 500;

export class CaughtUp extends Committer {
  async messages(filter: MessageFilter) {
    await this.catchUp("messages", recordEvents);
    return this.reading((sql) => listMessages(sql, filter));
  }

  async treeUsages(filter: TreeUsageFilter) {
    await this.catchUp("tree_usages", takeUsage);
    return this.reading((sql) => listTreeUsages(sql, filter));
  }

  override async runs(filter: RunFilter) {
    if (filter.q !== undefined) await this.catchUp("search", indexEvents);
    return super.runs(filter);
  }

  override async countRuns(filter: RunFilter) {
    if (filter.q !== undefined) await this.catchUp("search", indexEvents);
    return super.countRuns(filter);
  }

  private async catchUp(name: string, take: Take): Promise<void> {
    const target = await this.position();
    const stands = await this.reading((sql) => getMeta(sql, name));
    let at = Number(stands ?? 0);
    while (at < target) {
      const next = await this.enqueue(({ sql }) => takePage(sql, name, take));
      if (next === undefined) return;
      at = next;
    }
  }
}

type Take = (sql: Sql, events: readonly JournalEvent[]) => Promise<void>;

/** Where it stands now; undefined: there was nothing more. Under the head's lock, so two processes take no page twice. */
async function takePage(sql: Sql, name: string, take: Take): Promise<number | undefined> {
  const at = Number((await getMeta(sql, name)) ?? 0);
  // E9: what only a newer version understands, and what comes after it, is left to that one.
  const events = await readPage(sql, at, PAGE_EVENTS, { stopAtNewer: true }).catch((error: unknown) => {
    if (isNewer(error)) return [];
    throw error;
  });
  const last = events.at(-1);
  if (!last) return undefined;
  await take(sql, events);
  await setMeta(sql, name, String(last.position));
  return last.position;
}
