// Creates the tables in steps, from one released version to the next. A released step is never changed.
// Tables and columns have the same names as in the SQLite store.
// Journals and blobs are stored as exact text or bytes, because `jsonb` would reorder keys and reject some of the text that models write.

import { VIEW_INDEXES } from "../message-view.ts";
import { MESSAGE_VIEWS } from "./message-view.ts";

export const MIGRATIONS: readonly string[] = [
  `
  -- J8: one row. A writer locks it first, so positions are dense and in commit order. \`commits\` tells a process
  -- whether another process has written since its own last commit.
  CREATE TABLE head (
    one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
    position BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    commits BIGINT NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO head (position, runs, commits) VALUES (0, 0, 0);

  CREATE TABLE runs (
    n BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    -- the root whose budget pays for the run
    budget TEXT NOT NULL,
    parent TEXT,
    agent TEXT NOT NULL,
    session TEXT,
    -- the user who owns the run
    user_id TEXT,
    workspace TEXT NOT NULL,
    -- E6: the pool whose workers drive the run, if its agent names one
    pool TEXT,
    -- the run whose transcript this run begins with; that run is kept as long as this one
    continues TEXT,
    -- the fields of the row that never change, as JSON
    born TEXT NOT NULL,
    status TEXT NOT NULL,
    waiting_on TEXT,
    -- the kind in \`waiting_on\`: Postgres cannot parse JSON with an escaped NUL or lone surrogate
    waiting TEXT,
    stop_reason TEXT,
    summary TEXT,
    turns BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    usage TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- the head of the journal
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    last_signal BIGINT NOT NULL,
    cancel SMALLINT NOT NULL,
    -- the lease: a worker has the run; or it is free and due at a time; or it is free until a signal makes it due
    worker TEXT,
    epoch BIGINT NOT NULL,
    due_at BIGINT,
    -- E2: until this time an earlier worker may still be busy with calls that it began
    previous_until BIGINT,
    acquisitions BIGINT NOT NULL,
    open_tokens BIGINT NOT NULL,
    open_cost DOUBLE PRECISION NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX runs_due ON runs (due_at, n) WHERE due_at IS NOT NULL;
  CREATE INDEX runs_worker ON runs (worker) WHERE worker IS NOT NULL;
  CREATE INDEX runs_root ON runs (root);
  CREATE INDEX runs_budget ON runs (budget);
  CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_session ON runs (session, agent, n) WHERE session IS NOT NULL;
  CREATE INDEX runs_status ON runs (status, n);
  CREATE INDEX runs_user ON runs (user_id, n) WHERE user_id IS NOT NULL;
  CREATE INDEX runs_continues ON runs (continues) WHERE continues IS NOT NULL;
  CREATE INDEX runs_alive_below ON runs (parent) WHERE ended_at IS NULL AND parent IS NOT NULL;

  CREATE TABLE events (
    position BIGINT PRIMARY KEY,
    run BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    ts BIGINT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    hash BYTEA NOT NULL,
    UNIQUE (run, seq)
  );

  CREATE TABLE approvals (
    run BIGINT NOT NULL,
    item TEXT NOT NULL,
    kind TEXT NOT NULL,
    opened_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (run, item)
  );
  CREATE TABLE grants (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run BIGINT NOT NULL,
    rule TEXT NOT NULL,
    given_by TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    until BIGINT,
    scope TEXT NOT NULL,
    folder TEXT,
    -- the run in which the grant was given; a standing grant outlives it
    run_id TEXT
  );
  CREATE INDEX grants_run ON grants (run);

  -- \`card\`: the worker's description of itself, as JSON
  CREATE TABLE workers (name TEXT PRIMARY KEY, expires_at BIGINT NOT NULL, card TEXT) WITH (fillfactor = 50);
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, body TEXT NOT NULL, run TEXT NOT NULL);
  CREATE INDEX idempotency_run ON idempotency (run);
  CREATE TABLE quarantine (run TEXT PRIMARY KEY, reason TEXT NOT NULL, seq BIGINT);
  -- as bytes, because a text may contain a NUL
  CREATE TABLE blobs (hash TEXT PRIMARY KEY, text BYTEA NOT NULL);
  -- blobs that a process has put and that no append needs yet; a prune keeps them
  CREATE TABLE fresh (hash TEXT NOT NULL, holder TEXT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (hash, holder));
  -- the blobs that each run needs
  CREATE TABLE refs (run BIGINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash));
  CREATE INDEX refs_hash ON refs (hash);
  -- pruned runs whose events are still being deleted
  CREATE TABLE pruned (run BIGINT PRIMARY KEY, id TEXT NOT NULL);

  -- B4: runs at work in a workspace (\`held\` = 1), and runs that queue for a slot there; \`n\` is their order of arrival
  CREATE TABLE slots (
    n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace TEXT NOT NULL,
    run TEXT NOT NULL UNIQUE,
    held SMALLINT NOT NULL
  );
  CREATE INDEX slots_workspace ON slots (workspace, held, n);
  -- the budget that a person set for a tree, by the root that pays
  CREATE TABLE budgets (root TEXT PRIMARY KEY, max_tokens DOUBLE PRECISION, max_cost DOUBLE PRECISION);
  -- D6: the run of a tree that is changing a file
  CREATE TABLE claims (root TEXT NOT NULL, path TEXT COLLATE "C" NOT NULL, run TEXT NOT NULL, PRIMARY KEY (root, path));
  CREATE INDEX claims_run ON claims (run);

  CREATE TABLE messages (
    id BIGINT PRIMARY KEY,
    session_id TEXT NOT NULL,
    parent_message_id BIGINT REFERENCES messages (id) ON DELETE CASCADE,
    started_at TEXT NOT NULL,
    completed_at TEXT,
    duration_ms BIGINT,
    agent_role TEXT,
    agent_depth BIGINT DEFAULT 0,
    model_id TEXT,
    system_prompt_id TEXT,
    request_type TEXT,
    request_content TEXT,
    context_mode TEXT,
    context_token_count BIGINT,
    response_content TEXT,
    response_summary TEXT,
    tool_calls_json TEXT,
    files_modified_json TEXT,
    prompt_tokens BIGINT,
    completion_tokens BIGINT,
    total_tokens BIGINT,
    iteration_count BIGINT DEFAULT 0,
    max_iterations BIGINT,
    max_duration_ms BIGINT,
    bailout_reason TEXT,
    status TEXT DEFAULT 'pending',
    error_message TEXT,
    metadata_json TEXT,
    run TEXT NOT NULL
  );
  CREATE INDEX idx_messages_session ON messages (session_id);
  CREATE INDEX idx_messages_parent ON messages (parent_message_id);
  CREATE INDEX idx_messages_role ON messages (agent_role);
  CREATE INDEX idx_messages_depth ON messages (agent_depth);
  CREATE INDEX idx_messages_started ON messages (started_at);
  CREATE INDEX idx_messages_status ON messages (status);
  CREATE INDEX idx_messages_run ON messages (run);
  -- the state needed to continue the messages of a run that has not ended
  CREATE TABLE recordings (run TEXT PRIMARY KEY, recording TEXT NOT NULL);

  -- the words of each event, by its position; the texts are in the journal
  CREATE TABLE search (position BIGINT PRIMARY KEY, run BIGINT NOT NULL, words TSVECTOR NOT NULL);
  CREATE INDEX search_words ON search USING GIN (words);
  CREATE INDEX search_run ON search (run);

  -- a revoked user keeps the name, because the runs still belong to that user
  CREATE TABLE users (
    name TEXT COLLATE "C" PRIMARY KEY,
    role TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    rotated_at BIGINT NOT NULL,
    revoked_at BIGINT
  );
  CREATE TABLE user_keys (
    n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    made_at BIGINT NOT NULL
  );
  CREATE INDEX user_keys_name ON user_keys (name);

  -- the position that each webhook has reached, and the process that serves it
  CREATE TABLE webhooks (
    webhook TEXT COLLATE "C" PRIMARY KEY,
    position BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    retry_at BIGINT,
    holder TEXT,
    held_until BIGINT NOT NULL DEFAULT 0
  );
  CREATE TABLE deliveries (
    webhook TEXT NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    run TEXT NOT NULL,
    position BIGINT NOT NULL,
    at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (webhook, id)
  );

  -- the usage of each tree, by its root; computed from the journals when it is read
  CREATE TABLE tree_usages (root TEXT COLLATE "C" PRIMARY KEY, updated_at BIGINT NOT NULL, usage TEXT NOT NULL);

  -- E7: trees imported from other stores; kept when a tree is pruned, so that no tree is imported twice
  CREATE TABLE transfers (id TEXT PRIMARY KEY, root TEXT NOT NULL);

  -- E7: the server that each moved tree was sent to; kept when a tree is pruned, so that no tree continues in two stores
  CREATE TABLE sent (transfer TEXT PRIMARY KEY, target TEXT NOT NULL, tries BIGINT NOT NULL, arrived_at BIGINT);
  `,
  `
  -- B3: what the run keeps for its last turn
  ALTER TABLE runs
    ADD COLUMN kept_tokens BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN kept_cost DOUBLE PRECISION NOT NULL DEFAULT 0;
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
    name TEXT COLLATE "C" PRIMARY KEY,
    reached BIGINT NOT NULL,
    paused_at BIGINT,
    paused_by TEXT
  );
  CREATE TABLE trigger_entries (
    name TEXT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    start_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    run TEXT,
    detail TEXT NOT NULL,
    -- the request or the payload, as JSON
    payload TEXT NOT NULL,
    PRIMARY KEY (name, id)
  );
  CREATE INDEX trigger_entries_at ON trigger_entries (name, at);
  `,
];
