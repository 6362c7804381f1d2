// What stands beside the journals: who may come in, and how far webhooks were told.

import type { Outbox } from "../outbox.ts";
import type { Users } from "../users.ts";
import type { Batch } from "./batch.ts";
import type { CommitterParts } from "./commit-loop.ts";
import { CaughtUp } from "./derived-tables.ts";
import { postgresOutbox } from "./outbox.ts";
import type { Sql } from "./sql.ts";
import { postgresUsers } from "./users.ts";

export class Beside extends CaughtUp {
  readonly users: Users;
  readonly outbox: Outbox;

  constructor(parts: CommitterParts) {
    super(parts);
    const read = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => this.reading(work);
    const write = <T>(apply: (batch: Batch) => Promise<T>): Promise<T> => this.enqueue(apply);
    this.users = postgresUsers({ feed: this.feed, read, write });
    this.outbox = postgresOutbox({ read, write });
  }
}
