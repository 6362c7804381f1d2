// The tables, as steps from one released version to the next. A released step is never changed. Names are those of the SQLite
// store. Journals and blobs are exact text or bytes: `jsonb` would reorder keys and refuse some texts of models.

export const MIGRATIONS: readonly string[] = [
  `
  -- J8: one row. Whoever writes locks it first, so positions are dense and in commit order; \`commits\` tells a process
  -- whether anybody else has written since it did.
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
    -- the root whose budget pays for it
    budget TEXT NOT NULL,
    parent TEXT,
    agent TEXT NOT NULL,
    session TEXT,
    -- whose run it is
    user_id TEXT,
    workspace TEXT NOT NULL,
    -- E6: the pool whose workers drive it, if its agent names one
    pool TEXT,
    -- the run whose transcript this one begins with: it is kept as long as this one is
    continues TEXT,
    -- the immutable rest of the row, as JSON
    born TEXT NOT NULL,
    status TEXT NOT NULL,
    waiting_on TEXT,
    -- its kind: Postgres reads no JSON in which a zero or half a character is spelled out
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
    -- the lease: held by a worker, or free and due at a time, or free and due at nothing but a signal
    worker TEXT,
    epoch BIGINT NOT NULL,
    due_at BIGINT,
    -- E2: until then an earlier worker may still be at what it began here
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
    -- a standing grant outlives the run that it was given in
    run_id TEXT
  );
  CREATE INDEX grants_run ON grants (run);

  -- \`card\`: what a worker says of itself, as JSON
  CREATE TABLE workers (name TEXT PRIMARY KEY, expires_at BIGINT NOT NULL, card TEXT) WITH (fillfactor = 50);
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, body TEXT NOT NULL, run TEXT NOT NULL);
  CREATE INDEX idempotency_run ON idempotency (run);
  CREATE TABLE quarantine (run TEXT PRIMARY KEY, reason TEXT NOT NULL, seq BIGINT);
  -- bytes: a text may hold a zero
  CREATE TABLE blobs (hash TEXT PRIMARY KEY, text BYTEA NOT NULL);
  -- blobs between being put by a process and being needed by one of its appends: no prune may take them
  CREATE TABLE fresh (hash TEXT NOT NULL, holder TEXT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (hash, holder));
  -- the blobs that a run needs
  CREATE TABLE refs (run BIGINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, hash));
  CREATE INDEX refs_hash ON refs (hash);
  -- runs that are pruned, while their events are being deleted
  CREATE TABLE pruned (run BIGINT PRIMARY KEY, id TEXT NOT NULL);

  -- B4: who is at work in a workspace, and who waits for a place there; \`n\` is the order in which they came
  CREATE TABLE places (
    n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace TEXT NOT NULL,
    run TEXT NOT NULL UNIQUE,
    held SMALLINT NOT NULL
  );
  CREATE INDEX places_workspace ON places (workspace, held, n);
  -- what a person has made of the budget of a tree, by the root that pays
  CREATE TABLE budgets (root TEXT PRIMARY KEY, max_tokens DOUBLE PRECISION, max_cost DOUBLE PRECISION);
  -- D6: which run of a tree is changing a file
  CREATE TABLE claims (root TEXT NOT NULL, path TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (root, path));
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
  -- what it takes to go on with the messages of a run that has not ended
  CREATE TABLE recordings (run TEXT PRIMARY KEY, recording TEXT NOT NULL);

  -- the words of events, by position; the texts stand in the journal
  CREATE TABLE search (position BIGINT PRIMARY KEY, run BIGINT NOT NULL, words TSVECTOR NOT NULL);
  CREATE INDEX search_words ON search USING GIN (words);
  CREATE INDEX search_run ON search (run);

  -- a name stays taken when its user is revoked: the runs are still theirs
  CREATE TABLE users (
    name TEXT PRIMARY KEY,
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

  -- how far each webhook has been told of the journals, and by whom
  CREATE TABLE webhooks (
    webhook TEXT PRIMARY KEY,
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

  -- what each tree has used, by its root; made of the journals when it is asked for
  CREATE TABLE tree_usages (root TEXT COLLATE "C" PRIMARY KEY, updated_at BIGINT NOT NULL, usage TEXT NOT NULL);

  -- E7: trees that came from other stores; kept when a tree is pruned, so that none comes in twice
  CREATE TABLE transfers (id TEXT PRIMARY KEY, root TEXT NOT NULL);

  -- E7: where trees that have left were sent to, by their transfer; kept when a tree is pruned, so that none goes on in two places
  CREATE TABLE sent (transfer TEXT PRIMARY KEY, place TEXT NOT NULL, tries BIGINT NOT NULL, arrived_at BIGINT);
  `,
];
