// The tables, as steps from one version to the next. A step that has shipped is never changed.
// Run ids are text only here and in `idempotency`: events carry the run's number, which saves 40 bytes an event.

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE runs (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    parent TEXT,
    agent TEXT NOT NULL,
    session TEXT,
    -- the immutable rest of the row, as JSON
    born TEXT NOT NULL,
    status TEXT NOT NULL,
    waiting_on TEXT,
    stop_reason TEXT,
    -- as JSON: a model's words may hold what UTF-8 cannot
    summary TEXT,
    turns INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    usage TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    -- the head of the journal
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    last_signal INTEGER NOT NULL,
    cancel INTEGER NOT NULL DEFAULT 0,
    -- the lease: held by a worker, or free and due at a time, or free and due at nothing but a signal
    worker TEXT,
    epoch INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    acquisitions INTEGER NOT NULL DEFAULT 0,
    open_tokens INTEGER NOT NULL DEFAULT 0,
    open_cost REAL NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX runs_worker ON runs (worker) WHERE worker IS NOT NULL;
  CREATE INDEX runs_root ON runs (root);
  CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_status ON runs (status, n);

  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (run, seq)
  ) STRICT;

  CREATE TABLE approvals (
    run INTEGER NOT NULL,
    item TEXT NOT NULL,
    kind TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (run, item)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE grants (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    rule TEXT NOT NULL,
    given_by TEXT NOT NULL,
    given_at INTEGER NOT NULL,
    until INTEGER
  ) STRICT;

  CREATE TABLE workers (name TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, body TEXT NOT NULL, run TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE quarantine (run TEXT PRIMARY KEY, reason TEXT NOT NULL, seq INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE blobs (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
  `,
];
