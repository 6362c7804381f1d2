// What stands beside the journals: who may come in, and how far webhooks were told.

import type { Outbox } from "../outbox.ts";
import type { Users } from "../users.ts";
import type { Batch } from "./batch.ts";
import type { SqliteOptions } from "./commit-loop.ts";
import { CaughtUp } from "./derived-tables.ts";
import { sqliteOutbox } from "./outbox.ts";
import { sqliteUsers } from "./users.ts";

export class Beside extends CaughtUp {
  readonly users: Users;
  readonly outbox: Outbox;

  constructor(options: SqliteOptions) {
    super(options);
    const { sql } = this;
    const write = <T>(apply: (batch: Batch) => T): Promise<T> => this.enqueue(apply);
    this.users = sqliteUsers({ sql, write });
    this.outbox = sqliteOutbox({ sql, write, position: () => this.lastPosition });
    // The process before is gone.
    sql.withStorageErrors(() => this.db.exec("UPDATE webhooks SET holder = NULL"));
  }
}
