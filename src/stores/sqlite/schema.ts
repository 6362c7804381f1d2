// Creates the tables in steps, from one released version to the next. A released step is never changed.
// Only `runs` and a few small tables contain run ids as text. Events contain the run's number, which saves 40 bytes per event.

import { VIEW_INDEXES } from "../message-view.ts";
import { MESSAGE_VIEWS } from "./message-view.ts";

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
    -- the fields of the row that never change, as JSON
    born TEXT NOT NULL,
    status TEXT NOT NULL,
    waiting_on TEXT,
    -- the kind in \`waiting_on\`
    waiting TEXT,
    stop_reason TEXT,
    -- as JSON, because a model's text may contain lone surrogates, which UTF-8 cannot
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
    -- the lease: a worker has the run; or it is free and due at a time; or it is free until a signal makes it due
    worker TEXT,
    epoch INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    acquisitions INTEGER NOT NULL DEFAULT 0,
    open_tokens INTEGER NOT NULL DEFAULT 0,
    open_cost REAL NOT NULL DEFAULT 0,
    -- the root whose budget pays for the run: its own root, or that of the run whose message started it
    budget TEXT,
    -- the run whose transcript this run begins with; that run is kept as long as this one
    continues TEXT,
    -- the user who owns the run
    user_id TEXT,
    -- E2: until this time an earlier worker may still be busy with calls that it began
    previous_until INTEGER
  ) STRICT;
  CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX runs_worker ON runs (worker) WHERE worker IS NOT NULL;
  CREATE INDEX runs_root ON runs (root);
  CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_status ON runs (status, n);
  CREATE INDEX runs_budget ON runs (budget);
  CREATE INDEX runs_session ON runs (session, agent, n) WHERE session IS NOT NULL;
  CREATE INDEX runs_continues ON runs (continues) WHERE continues IS NOT NULL;
  CREATE INDEX runs_user ON runs (user_id, n) WHERE user_id IS NOT NULL;
  CREATE INDEX runs_previous ON runs (previous_until) WHERE previous_until IS NOT NULL;
  -- active runs: few, however many have ended
  CREATE INDEX runs_alive ON runs (id) WHERE ended_at IS NULL;
  CREATE INDEX runs_alive_below ON runs (parent) WHERE ended_at IS NULL AND parent IS NOT NULL;

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
  CREATE TABLE blobs (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
  -- the blobs that each run needs
  CREATE TABLE refs (run INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash)) STRICT, WITHOUT ROWID;
  CREATE INDEX refs_hash ON refs (hash);
  -- the words of each event, by its position; the texts are in the journal
  CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, detail = none);

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
    until INTEGER,
    -- \`tree\`: applies to the run in which it was given and to all runs below, until that run ends
    scope TEXT NOT NULL DEFAULT 'always',
    -- the run in which the grant was given; a standing grant outlives it
    run_id TEXT,
    -- the folder in which the grant applies
    folder TEXT
  ) STRICT;

  -- \`card\`: the worker's description of itself, as JSON
  CREATE TABLE workers (name TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, card TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, body TEXT NOT NULL, run TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_run ON idempotency (run);
  CREATE TABLE quarantine (run TEXT PRIMARY KEY, reason TEXT NOT NULL, seq INTEGER) STRICT, WITHOUT ROWID;
  -- pruned runs whose events are still being deleted
  CREATE TABLE pruned (run INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;
  -- D6: the run of a tree that is changing a file
  CREATE TABLE claims (root TEXT NOT NULL, path TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (root, path)) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_run ON claims (run);
  -- B4: runs at work in a workspace (\`held\` = 1), and runs that queue for a slot there; \`n\` is their order of arrival
  CREATE TABLE slots (n INTEGER PRIMARY KEY, workspace TEXT NOT NULL, run TEXT NOT NULL UNIQUE, held INTEGER NOT NULL) STRICT;
  CREATE INDEX slots_workspace ON slots (workspace, held, n);
  -- the budget that a person set for a tree, by the root that pays
  CREATE TABLE budgets (root TEXT PRIMARY KEY, max_tokens REAL, max_cost REAL) STRICT, WITHOUT ROWID;
  -- the usage of each tree, by its root; computed from the journals when it is read
  CREATE TABLE tree_usages (root TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, usage TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- E7: trees imported from other stores; kept when a tree is pruned, so that no tree is imported twice
  CREATE TABLE transfers (id TEXT PRIMARY KEY, root TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- E7: the server that each moved tree was sent to; kept when a tree is pruned, so that no tree continues in two stores
  CREATE TABLE sent (transfer TEXT PRIMARY KEY, target TEXT NOT NULL, tries INTEGER NOT NULL, arrived_at INTEGER) STRICT, WITHOUT ROWID;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    parent_message_id INTEGER REFERENCES messages (id) ON DELETE CASCADE,
    started_at TEXT NOT NULL,
    completed_at TEXT,
    duration_ms INTEGER,
    agent_role TEXT,
    agent_depth INTEGER DEFAULT 0,
    model_id TEXT,
    system_prompt_id TEXT,
    request_type TEXT,
    request_content TEXT,
    context_mode TEXT,
    context_token_count INTEGER,
    response_content TEXT,
    response_summary TEXT,
    tool_calls_json TEXT,
    files_modified_json TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    total_tokens INTEGER,
    iteration_count INTEGER DEFAULT 0,
    max_iterations INTEGER,
    max_duration_ms INTEGER,
    bailout_reason TEXT,
    status TEXT DEFAULT 'pending',
    error_message TEXT,
    metadata_json TEXT
  ) STRICT;
  CREATE INDEX idx_messages_session ON messages (session_id);
  CREATE INDEX idx_messages_parent ON messages (parent_message_id);
  CREATE INDEX idx_messages_role ON messages (agent_role);
  CREATE INDEX idx_messages_depth ON messages (agent_depth);
  CREATE INDEX idx_messages_started ON messages (started_at);
  CREATE INDEX idx_messages_status ON messages (status);
  CREATE INDEX idx_messages_run ON messages (metadata_json ->> '$.run_id');
  -- the state needed to continue the messages of a run that has not ended
  CREATE TABLE recordings (run TEXT PRIMARY KEY, recording TEXT NOT NULL) STRICT;

  -- a revoked user keeps the name, because the runs still belong to that user
  CREATE TABLE users (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    made_by TEXT NOT NULL,
    rotated_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE user_keys (
    n INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    made_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX user_keys_name ON user_keys (name);

  -- the position that each webhook has reached, and the process that serves it
  CREATE TABLE webhooks (
    webhook TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    holder TEXT,
    held_until INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries (
    webhook TEXT NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    run TEXT NOT NULL,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (webhook, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- B3: what the run keeps for its last turn
  ALTER TABLE runs ADD COLUMN kept_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN kept_cost REAL NOT NULL DEFAULT 0;
  `,
  `
  -- S0-13: runs of one agent
  CREATE INDEX runs_agent ON runs (agent, n);
  `,
  `
  -- S2: views instead of tables that were filled when somebody asked for them
  DROP TABLE messages;
  DROP TABLE recordings;
  DELETE FROM meta WHERE name = 'messages';
  ${VIEW_INDEXES}
  ${MESSAGE_VIEWS}
  `,
  `
  -- the usage of trees has new parts, so it is computed again; and an index finds the decisions of people
  DELETE FROM tree_usages;
  DELETE FROM meta WHERE name = 'tree_usages';
  CREATE INDEX events_decisions ON events (position) WHERE type = 'APPROVAL_DECIDED';
  `,
  `
  -- TR1: schedules and inbound hooks: how far each has come, and what became of each tick or delivery
  CREATE TABLE triggers (
    name TEXT PRIMARY KEY,
    reached INTEGER NOT NULL,
    paused_at INTEGER,
    paused_by TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE trigger_entries (
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    run TEXT,
    detail TEXT NOT NULL,
    -- the request or the payload, as JSON
    payload TEXT NOT NULL,
    PRIMARY KEY (name, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trigger_entries_at ON trigger_entries (name, at);
  `,
];
