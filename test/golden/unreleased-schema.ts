// The schemas of SQLite files before the first release, step by step. Only the golden recordings still have the oldest one:
// `restoreDatabase` migrates them to the schema of the first release. Once they are recorded again, delete this file.

export const UNRELEASED_STEPS: readonly string[] = [
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
  `
  -- \`tree\`: for the run that it was given in and what is below it, until that run has ended
  ALTER TABLE grants ADD COLUMN scope TEXT NOT NULL DEFAULT 'always';
  -- the root whose budget pays for it: its own, or that of whoever sent the message that started it
  ALTER TABLE runs ADD COLUMN budget TEXT;
  UPDATE runs SET budget = root;
  CREATE INDEX runs_budget ON runs (budget);
  CREATE INDEX runs_session ON runs (session, agent, n) WHERE session IS NOT NULL;
  `,
  `
  -- the run whose transcript this one begins with: it is kept as long as this one is
  ALTER TABLE runs ADD COLUMN continues TEXT;
  UPDATE runs SET continues = (
    SELECT coalesce(blobs.text, iif(json_valid(payload), payload, '{}')) ->> '$.continues.runId'
    FROM events LEFT JOIN blobs ON blobs.hash = iif(json_valid(payload), payload, '{}') ->> '$."$blob"'
    WHERE events.run = runs.n AND events.seq = 1);
  CREATE INDEX runs_continues ON runs (continues) WHERE continues IS NOT NULL;
  -- what has not ended: little, however much has
  CREATE INDEX runs_alive ON runs (id) WHERE ended_at IS NULL;
  CREATE INDEX runs_alive_below ON runs (parent) WHERE ended_at IS NULL AND parent IS NOT NULL;
  CREATE INDEX idempotency_run ON idempotency (run);
  -- a standing grant outlives the run that it was given in
  ALTER TABLE grants ADD COLUMN run_id TEXT;

  -- the blobs that a run needs
  CREATE TABLE refs (run INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash)) STRICT, WITHOUT ROWID;
  CREATE INDEX refs_hash ON refs (hash);
  INSERT INTO refs SELECT n, born ->> '$.definition' FROM runs WHERE json_valid(born);
  INSERT OR IGNORE INTO refs SELECT run, payload ->> '$."$blob"' FROM events
    WHERE payload LIKE '{"$blob":%' AND json_valid(payload);
  INSERT OR IGNORE INTO refs SELECT run, hash FROM (
    SELECT run, iif(json_valid(payload), payload, '{}') ->> '$.ref' AS hash FROM events WHERE type = 'TOOL_RESULT'
  ) WHERE hash IS NOT NULL;

  -- runs that are pruned, while their events are being deleted
  CREATE TABLE pruned (run INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;

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
  -- what it takes to go on with the messages of a run that has not ended
  CREATE TABLE recordings (run TEXT PRIMARY KEY, recording TEXT NOT NULL) STRICT;
  -- D6: which run of a tree is changing a file
  CREATE TABLE claims (root TEXT NOT NULL, path TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (root, path)) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_run ON claims (run);
  `,
  `
  -- B4: who is at work in a workspace, and who waits for a place there; \`n\` is the order in which they came
  CREATE TABLE places (n INTEGER PRIMARY KEY, workspace TEXT NOT NULL, run TEXT NOT NULL UNIQUE, held INTEGER NOT NULL) STRICT;
  CREATE INDEX places_workspace ON places (workspace, held, n);
  -- what a person has made of the budget of a tree, by the root that pays
  CREATE TABLE budgets (root TEXT PRIMARY KEY, max_tokens REAL, max_cost REAL) STRICT, WITHOUT ROWID;
  `,
  `
  -- a standing grant counts in the folder that it was given in
  ALTER TABLE grants ADD COLUMN folder TEXT;
  UPDATE grants SET folder = (SELECT iif(json_valid(born), born, '{}') ->> '$.workspace' FROM runs WHERE runs.n = grants.run);
  `,
  `
  -- the words of events, by position; the texts stand in the journal
  CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, detail = none);
  `,
  `
  -- E7: trees that came from other stores; kept when a tree is pruned, so that none comes in twice
  CREATE TABLE transfers (id TEXT PRIMARY KEY, root TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- whose run it is
  ALTER TABLE runs ADD COLUMN user_id TEXT;
  UPDATE runs SET user_id = iif(json_valid(born), born, '{}') ->> '$.userId';
  CREATE INDEX runs_user ON runs (user_id, n) WHERE user_id IS NOT NULL;
  -- a name stays taken when its user is revoked: the runs are still theirs
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

  -- how far each webhook has been told of the journals, and by whom
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
  -- what a worker says of itself, as JSON
  ALTER TABLE workers ADD COLUMN card TEXT;
  `,
  `
  -- what each tree has used, by its root; made of the journals when it is asked for
  CREATE TABLE tree_usages (root TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, usage TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- E2: until then a worker that had the run before may still be at what it began there
  ALTER TABLE runs ADD COLUMN previous_until INTEGER;
  CREATE INDEX runs_previous ON runs (previous_until) WHERE previous_until IS NOT NULL;
  `,
  `
  -- E7: where trees that have left were sent to, by their transfer; kept when a tree is pruned, so that none goes on in two places
  CREATE TABLE sent (transfer TEXT PRIMARY KEY, place TEXT NOT NULL, tries INTEGER NOT NULL, arrived_at INTEGER) STRICT, WITHOUT ROWID;
  `,
  `
  -- a tool call counts when a tool or a child was begun for it; what was said of trees is made anew of the journals
  UPDATE runs SET usage = json_set(usage, '$.toolCalls', (
    SELECT count(*) FROM events LEFT JOIN blobs ON blobs.hash = iif(json_valid(payload), payload, '{}') ->> '$."$blob"'
    WHERE events.run = runs.n AND type IN ('TOOL_STARTED', 'CHILD_RUN_STARTED') AND (
      (type = 'TOOL_STARTED' AND events.key NOT LIKE '%~%' AND events.key NOT LIKE 'merge/%')
      OR (type = 'CHILD_RUN_STARTED' AND coalesce(blobs.text, payload) LIKE '%"trigger":"delegation"%'
        AND coalesce(blobs.text, payload) NOT LIKE '%"attempt":%')
    ))) WHERE json_valid(usage);
  DELETE FROM tree_usages;
  `,
];
