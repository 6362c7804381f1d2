// What is made of the journals and not written with them: the messages, what each tree has used, and the words that
// runs are found by. Caught up when somebody asks, page by page, so that appends go on in between.

import type { JournalEvent } from "../../journal/events.ts";
import { isNewer } from "../../journal/upcast.ts";
import type { MessageFilter, RunFilter, TreeUsageFilter } from "../store.ts";
import { Committer } from "./commit-loop.ts";
import { listMessages, recordedUpTo, recordPage } from "./messages.ts";
import { indexedUpTo, indexPage } from "./search.ts";
import type { Sql } from "./sql.ts";
import { listTreeUsages, usagePage, usageUpTo } from "./tree-usage.ts";

export class CaughtUp extends Committer {
  async messages(filter: MessageFilter) {
    await this.catchUp(recordedUpTo, recordPage);
    return listMessages(this.sql, filter);
  }

  async treeUsages(filter: TreeUsageFilter) {
    await this.catchUp(usageUpTo, usagePage);
    return listTreeUsages(this.sql, filter);
  }

  override async runs(filter: RunFilter) {
    if (filter.q !== undefined) await this.catchUp(indexedUpTo, indexPage);
    return super.runs(filter);
  }

  override async countRuns(filter: RunFilter) {
    if (filter.q !== undefined) await this.catchUp(indexedUpTo, indexPage);
    return super.countRuns(filter);
  }

  private async catchUp(place: (sql: Sql) => number, takePage: TakePage): Promise<void> {
    let behind = place(this.sql) < this.lastPosition;
    while (behind)
      behind = await this.enqueue(() => takePage(this.sql, (...page) => this.understood(...page)));
  }

  /** E9: what only a newer version understands, and what comes after it, is left to that one. */
  private understood(after: number, limit: number): JournalEvent[] {
    try {
      return this.page(after, limit, { stopAtNewer: true });
    } catch (error) {
      if (isNewer(error)) return [];
      throw error;
    }
  }
}

/** Takes in the next page; false: there was none. */
type TakePage = (sql: Sql, read: (after: number, limit: number) => JournalEvent[]) => boolean;
