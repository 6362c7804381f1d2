// The SQL views of S2: `messages`, with one row for each model call, and `sessions`. Each query computes them from the journals.
// So an append writes nothing for them. A row appears when its call starts, and is complete when the call ends.
// Users may query the views with plain SQL. Their columns are part of the public interface: docs/guide/messages-table.md.
// The oracle of the contract tests computes the same rows in TypeScript (`message-rows.fixture.ts`).

/** The differences between the databases. A `row` is the alias of a row of the view `journal`. */
export interface ViewDialect {
  /** The columns of the view `journal`, after the other columns of an event: its payload, wherever it is stored. */
  payload: string;
  /** The payload of a model call's intent, which is small and has no text of a model. */
  call: string;
  /** Text at a path of the payload. */
  text(row: string, ...path: string[]): string;
  /** JSON text at a path of the payload. */
  json(row: string, ...path: string[]): string;
  number(row: string, key: string, inner?: string): string;
  has(row: string, ...path: string[]): string;
  isText(row: string, key: string): string;
  /** The items of an array in the payload, as a table `item` with the columns `key` and `value`. */
  items(row: string, ...path: string[]): string;
  /** The column `value` of the table `item`, which is a text. */
  itemValue: string;
  /** The text at a path inside the column `value` of the table `item`. */
  itemText(...path: string[]): string;
  itemJson(...path: string[]): string;
  whole(value: string, how: "up" | "nearest"): string;
  time(ms: string): string;
  quote(text: string): string;
  /** A query that joins values in an order. */
  joined(value: string, separator: string, order: string, from: string): string;
  newLine: string;
  /** The place of a text in another text. 0 if it is not there. */
  position(text: string, part: string): string;
}

const OUTCOMES = "'AGENT_THOUGHT', 'MODEL_CALL_FAILED'";
const ENDS = "'RUN_COMPLETED', 'RUN_FAILED', 'RUN_CANCELLED'";

export function createViews(d: ViewDialect): string {
  const isTurn = (row: string): string => `coalesce(${d.text(row, "purpose")}, 'turn') IN ('turn', 'final')`;
  const nextOf = (row: string, column: string): string => `(SELECT next.${column} FROM events AS next
      WHERE next.run = ${row}.run AND next.seq > ${row}.seq AND next.type IN ('MODEL_CALL_STARTED', ${OUTCOMES})
      ORDER BY next.seq LIMIT 1)`;
  const laterTurn = `EXISTS (SELECT 1 FROM model_calls AS later WHERE later.run = m.run AND later.seq > m.seq AND ${isTurn("later")})`;
  const anyTurn = `EXISTS (SELECT 1 FROM model_calls AS later WHERE later.run = m.run AND ${isTurn("later")})`;
  /** True for the last row of an ended run, which shows how the run ended. */
  const isEnd = `(finish.position IS NOT NULL AND CASE WHEN ${isTurn("m")} THEN NOT ${laterTurn}
      ELSE outcome.position IS NULL AND NOT ${anyTurn} END)`;
  const isCut = "(finish.position IS NOT NULL AND outcome.position IS NULL)";
  /** Sequence number of the last event that the latest turn before this one had seen. Another attempt repeats the request of its turn. */
  const sent = `coalesce((SELECT coalesce(${d.number("before", "sawSeq")}, before.seq) FROM model_calls AS before
      WHERE before.run = m.run AND before.seq < m.seq AND ${isTurn("before")} AND ${d.text("before", "callId")} <> ${d.text("m", "callId")}
      ORDER BY before.seq DESC LIMIT 1), 0)`;
  const saw = `coalesce(${d.number("m", "sawSeq")}, m.seq)`;
  const callKey = `CASE told.type WHEN 'TOOL_RESULT' THEN ${d.text("told", "toolCallId")} ELSE ${d.text("told", "key")} END`;
  const proposal = (column: string): string => `(SELECT ${column} FROM journal AS proposed
      WHERE proposed.run = told.run AND proposed.seq < told.seq AND proposed.type = 'TOOL_PROPOSED'
        AND ${d.text("proposed", "toolCallId")} = ${callKey} ORDER BY proposed.seq DESC LIMIT 1)`;
  const isMcp = `(${d.itemText("toolName")} = 'mcp_call' AND substr(${d.itemText("input", "tool")}, 1, 5) = 'mcp__')`;
  const calls = (row: string): string => `(SELECT row_number() OVER (ORDER BY item.key) - 1 AS place,
      CASE WHEN ${isMcp} THEN ${d.itemText("input", "tool")} ELSE ${d.itemText("toolName")} END AS name,
      CASE WHEN ${isMcp} THEN coalesce(${d.itemJson("input", "input")}, '{}')
        ELSE coalesce(${d.itemJson("input")}, 'null') END AS input
      FROM ${d.items(row, "content")} WHERE ${d.itemText("type")} = 'tool-call') AS called`;
  /** The name of a call as the model wrote it. A module's call has only its proposal. */
  const wantedName = `(SELECT (SELECT called.name FROM ${calls("thought")}
        WHERE ${d.text("thought", "callId")} || '.' || called.place = ${callKey})
      FROM journal AS thought WHERE thought.run = told.run AND thought.seq < told.seq AND thought.type = 'AGENT_THOUGHT'
        AND ${callKey} LIKE ${d.text("thought", "callId")} || '.%' ORDER BY thought.seq DESC LIMIT 1)`;
  const callName = `coalesce(${proposal(`CASE WHEN ${d.has("proposed", "input")} THEN ${d.text("proposed", "name")} END`)}, ${wantedName},
      ${proposal(d.text("proposed", "name"))}, ${callKey})`;
  const begun = (column: string): string => `(SELECT ${column} FROM journal AS begun
      WHERE begun.run = told.run AND begun.seq < told.seq AND begun.type = 'CHILD_RUN_STARTED'
        AND ${d.text("begun", "child_run_id")} = ${d.text("told", "child_run_id")} ORDER BY begun.seq DESC LIMIT 1)`;
  const isLate = `${begun(`CASE WHEN ${d.has("begun", "awaited")} THEN 1 ELSE 0 END`)} = 1`;
  const isTriedAgain = `${d.text("told", "result", "status")} = 'failed'
      AND ${begun(`CASE WHEN ${d.has("begun", "retries")} THEN 1 ELSE 0 END`)} = 1`;
  const toldText = `CASE told.type
        WHEN 'RUN_STARTED' THEN ${taskText(d)}
        WHEN 'CONTEXT_ADDED' THEN ${d.text("told", "text")}
        WHEN 'TOOL_RESULT' THEN '[result of ' || ${callName} || '] ' || CASE WHEN ${d.isText("told", "output")}
          THEN ${d.text("told", "output")} ELSE coalesce(${d.json("told", "output")}, 'null') END
        ELSE ${childText(d, { begun, callName, isLate })} END`;
  /** True for the end of a child that the model reads about (D0, D2). Patterns and modules handle their own children. */
  const isRead = `CASE ${begun(d.text("begun", "trigger"))} WHEN 'delegation' THEN ${isLate} OR NOT (${isTriedAgain})
      WHEN 'route' THEN NOT (${isLate}) AND NOT (${isTriedAgain}) ELSE 1 = 0 END`;
  const isReplaced = `EXISTS (SELECT 1 FROM journal AS opening WHERE opening.run = m.run AND opening.seq <= ${saw}
      AND opening.type = 'CONTEXT_ADDED' AND ${d.has("opening", "opening")})`;
  /** J11: the events that are new in this call's request, because no earlier call's request contained them. */
  const toldOf = (
    types: string,
  ): string => `FROM journal AS told WHERE told.run = m.run AND told.seq > ${sent}
      AND told.seq <= ${saw} AND told.type IN (${types}) AND CASE told.type
        WHEN 'CONTEXT_ADDED' THEN 1 = 1
        WHEN 'RUN_STARTED' THEN NOT ${isReplaced}
        WHEN 'TOOL_RESULT' THEN ${proposal(d.text("proposed", "hidden"))} IS NULL
        ELSE ${proposal(d.text("proposed", "hidden"))} IS NULL AND ${isRead} END`;
  const results = "'TOOL_RESULT', 'CHILD_RUN_COMPLETED'";
  /** The files that calls of this turn created, changed or deleted, by file tools and by commands. */
  const changed = (
    list: string[],
    place: number,
    condition: string,
  ): string => `SELECT ${d.itemText("path")} AS path,
        done.seq * 1000000 + ${place} + item.key AS place FROM journal AS done, ${d.items("done", ...list)}
      WHERE (${condition}) AND done.run = m.run AND done.seq > m.seq AND done.type = 'TOOL_RESULT'
        AND done.seq < coalesce((SELECT later.seq FROM model_calls AS later WHERE later.run = m.run AND later.seq > m.seq AND ${isTurn("later")} ORDER BY later.seq LIMIT 1), run.seq + 1)`;
  const isFile = ["before", "after"]
    .map((version) => `coalesce(${d.itemText(version, "kind")}, 'folder') <> 'folder'`)
    .join(" OR ");
  const field = (name: string, value: string): string => `',"${name}":' || ${value}`;
  const optional = (condition: string, name: string, value: string): string =>
    `CASE WHEN ${condition} THEN ${field(name, value)} ELSE '' END`;
  const usage = (name: string): string => d.whole(d.number("outcome", "usage", name), "up");
  const attempt = (row: string): string => `coalesce(${d.number(row, "attempt")}, 1)`;
  const cause = d.text("outcome", "cause");
  /** S2-26: the answered last call of a run that a limit or a failure ended. */
  const endStatus = `CASE WHEN finish.type <> 'RUN_CANCELLED' AND ${d.text("finish", "stopReason")} = 'max_duration' AND ${isEnd} THEN 'timeout'
        WHEN finish.type = 'RUN_FAILED' AND ${isEnd} THEN 'failed' ELSE 'completed' END`;
  return `
  CREATE VIEW journal AS SELECT position, run, seq, ts, type, ${d.payload} AS payload FROM events;
  CREATE VIEW model_calls AS SELECT position, run, seq, ts, ${d.call} AS payload FROM events WHERE type = 'MODEL_CALL_STARTED';
  CREATE VIEW sessions AS SELECT
    chain.session_id,
    ${d.time("chain.created_at")} AS started_at,
    CASE WHEN chain.run_count = chain.ended THEN ${d.time("chain.ended_at")} END AS completed_at,
    earliest.agent AS agent_role,
    chain.run_count,
    chain.iteration_count,
    chain.total_tokens,
    chain.total_cost
  FROM (SELECT coalesce(session, root) AS session_id, min(n) AS earliest, min(created_at) AS created_at,
      max(ended_at) AS ended_at, count(ended_at) AS ended, count(*) AS run_count, sum(turns) AS iteration_count,
      sum(tokens) AS total_tokens, sum(cost) AS total_cost
    FROM runs GROUP BY coalesce(session, root)) AS chain JOIN runs AS earliest ON earliest.n = chain.earliest;
  CREATE VIEW messages AS SELECT
    m.position AS id,
    coalesce(run.session, run.root) AS session_id,
    (SELECT caller.position FROM model_calls AS caller WHERE caller.run = parent.n AND caller.position < start.position AND ${isTurn("caller")} ORDER BY caller.seq DESC LIMIT 1) AS parent_message_id,
    ${d.time("m.ts")} AS started_at,
    ${d.time("coalesce(outcome.ts, finish.ts)")} AS completed_at,
    coalesce(outcome.ts, finish.ts) - m.ts AS duration_ms,
    run.agent AS agent_role,
    ${d.whole(d.number("start", "depth"), "nearest")} AS agent_depth,
    ${d.text("m", "model")} AS model_id,
    ${d.text("start", "definition")} AS system_prompt_id,
    CASE WHEN NOT ${isTurn("m")} THEN 'continuation'
      WHEN ${sent} = 0 THEN CASE WHEN run.parent IS NOT NULL THEN 'delegation'
        WHEN ${d.text("start", "trigger")} IN ('retry', 'fork') THEN 'continuation' ELSE 'prompt' END
      WHEN EXISTS (SELECT 1 ${toldOf(results)}) THEN 'tool_call' ELSE 'continuation' END AS request_type,
    CASE WHEN ${isTurn("m")} THEN coalesce((${d.joined(
      toldText,
      `${d.newLine} || ${d.newLine}`,
      "told.seq",
      toldOf(`'RUN_STARTED', 'CONTEXT_ADDED', ${results}`),
    )}), '') END AS request_content,
    (SELECT nullif(${d.text("asked", "context")}, 'none') FROM journal AS asked
      WHERE asked.run = parent.n AND asked.position < start.position AND asked.type = 'TOOL_PROPOSED'
        AND ${d.text("asked", "toolCallId")} = ${d.text("start", "parentKey")} ORDER BY asked.seq DESC LIMIT 1) AS context_mode,
    CASE WHEN run.parent IS NOT NULL THEN (SELECT (length(${d.text("given", "text")}) + 3) / 4 FROM journal AS given
      WHERE given.run = m.run AND given.seq < m.seq AND given.seq < 10 AND given.type = 'CONTEXT_ADDED'
        AND ${d.text("given", "source")} = 'parent' ORDER BY given.seq DESC LIMIT 1) END AS context_token_count,
    CASE outcome.type WHEN 'AGENT_THOUGHT' THEN coalesce((${d.joined(
      d.itemText("text"),
      "''",
      "item.key",
      `FROM ${d.items("outcome", "content")} WHERE ${d.itemText("type")} = 'text'`,
    )}), '') END AS response_content,
    CASE WHEN ${isEnd} THEN ${d.text("finish", "summary")} END AS response_summary,
    CASE outcome.type WHEN 'AGENT_THOUGHT' THEN '[' || (${d.joined(
      `'{"id":' || ${d.quote(`${d.text("outcome", "callId")} || '.' || called.place`)} || ',"name":' ||
        ${d.quote("called.name")} || ',"input":' || called.input || '}'`,
      "','",
      "called.place",
      `FROM ${calls("outcome")}`,
    )}) || ']' END AS tool_calls_json,
    CASE WHEN ${isTurn("m")} THEN '[' || (${d.joined(
      d.quote("file.path"),
      "','",
      "file.first",
      `FROM (SELECT path, min(place) AS first FROM (${changed(["files"], 0, "1 = 1")}
        UNION ALL ${changed(["changes", "paths"], 100_000, isFile)}) AS change GROUP BY path) AS file`,
    )}) || ']' END AS files_modified_json,
    ${usage("input")} AS prompt_tokens,
    ${usage("output")} AS completion_tokens,
    ${usage("input")} + ${usage("output")} AS total_tokens,
    (SELECT count(*) FROM events AS thought WHERE thought.run = m.run AND thought.type = 'AGENT_THOUGHT'
        AND thought.seq <= coalesce(outcome.seq, m.seq))
      - (SELECT count(*) FROM model_calls AS before WHERE before.run = m.run AND before.seq <= m.seq AND NOT (${isTurn("before")})
        AND ${nextOf("before", "type")} = 'AGENT_THOUGHT')
      + CASE WHEN ${isTurn("m")} AND outcome.position IS NULL AND finish.position IS NULL THEN 1 ELSE 0 END AS iteration_count,
    ${d.whole(d.number("start", "limits", "maxTurns"), "nearest")} AS max_iterations,
    ${d.whole(d.number("start", "limits", "maxDuration"), "nearest")} AS max_duration_ms,
    CASE WHEN ${isEnd} THEN CASE ${d.text("finish", "stopReason")} WHEN 'max_turns' THEN 'max_iterations'
      WHEN 'max_duration' THEN 'timeout' ELSE CASE finish.type WHEN 'RUN_FAILED' THEN 'error' END END END AS bailout_reason,
    CASE WHEN outcome.type = 'AGENT_THOUGHT' THEN ${endStatus}
      WHEN outcome.type = 'MODEL_CALL_FAILED' THEN CASE WHEN ${cause} = 'timeout' THEN 'timeout'
        WHEN ${cause} = 'interrupted' AND run.cancel <> 0 AND EXISTS (SELECT 1 FROM events AS cancelled
          WHERE cancelled.run = m.run AND cancelled.seq < outcome.seq AND cancelled.type = 'CANCEL_REQUESTED') THEN 'cancelled'
        ELSE 'failed' END
      WHEN ${isCut} THEN CASE WHEN finish.type = 'RUN_CANCELLED' THEN 'cancelled'
        WHEN ${d.text("finish", "stopReason")} = 'max_duration' THEN 'timeout' ELSE 'failed' END
      ELSE 'running' END AS status,
    coalesce(CASE outcome.type WHEN 'MODEL_CALL_FAILED' THEN ${d.text("outcome", "message")} END,
      CASE WHEN finish.type = 'RUN_FAILED' AND ${isEnd} THEN ${d.text("finish", "summary")} END) AS error_message,
    '{"run_id":' || ${d.quote("run.id")} || ${field("call_id", d.quote(d.text("m", "callId")))} ||
      ${optional(`${attempt("m")} > 1`, "attempt", d.json("m", "attempt"))} ||
      ${optional(`coalesce(${d.text("m", "purpose")}, 'turn') <> 'turn'`, "purpose", d.json("m", "purpose"))} ||
      ${optional(d.has("outcome", "cost"), "cost", d.json("outcome", "cost"))} ||
      ${optional(d.has("outcome", "finish"), "finish", d.json("outcome", "finish"))} ||
      ${optional(isEnd, "stop_reason", d.json("finish", "stopReason"))} || '}' AS metadata_json,
    run.id AS run_id
  FROM model_calls AS m JOIN runs AS run ON run.n = m.run
    JOIN journal AS start ON start.run = m.run AND start.seq = 1
    LEFT JOIN runs AS parent ON parent.id = run.parent
    LEFT JOIN journal AS outcome ON outcome.type IN (${OUTCOMES}) AND outcome.position = ${nextOf("m", "position")}
    LEFT JOIN journal AS finish ON run.ended_at IS NOT NULL AND finish.position = (SELECT ended.position FROM events AS ended
      WHERE ended.run = m.run AND ended.type IN (${ENDS}) ORDER BY ended.seq DESC LIMIT 1);
  `;
}

/** The task with everything that the opening of the conversation adds to it. */
function taskText(d: ViewDialect): string {
  const gap = `${d.newLine} || ${d.newLine}`;
  const ifThere = (key: string, ...parts: string[]): string =>
    `CASE WHEN ${d.has("told", key)} THEN ${[gap, ...parts].join(" || ")} ELSE '' END`;
  const files = d.joined(d.itemValue, "', '", "item.key", `FROM ${d.items("told", "contextFiles")}`);
  return [
    d.text("told", "task"),
    ifThere("criteria", "'Success criteria: '", d.text("told", "criteria")),
    `coalesce(${gap} || 'Files to look at: ' || (${files}), '')`,
    ifThere("input", "'Input:'", d.newLine, d.json("told", "input")),
    ifThere(
      "ownMaxTurns",
      "'You have at most '",
      d.text("told", "limits", "maxTurns"),
      "' turns for this task.'",
    ),
  ].join(" || ");
}

/** What the parent's model reads about a child's end, as compact JSON (`child-result.ts`). */
function childText(
  d: ViewDialect,
  { begun, callName, isLate }: { begun(column: string): string; callName: string; isLate: string },
): string {
  const of = (key: string): string => d.json("told", "result", key);
  const text = (...path: string[]): string => d.text("told", "result", ...path);
  const fieldIf = (key: string): string =>
    `CASE WHEN ${d.has("told", "result", key)} THEN ',"${key}":' || ${of(key)} ELSE '' END`;
  const status = `CASE ${text("stop_reason")} WHEN 'max_duration' THEN 'timeout' ELSE ${text("status")} END`;
  const summary = `(${text("summary")} || CASE WHEN ${d.has("told", "result", "first_cause")}
      AND ${text("first_cause", "summary")} <> ${text("summary")} THEN ' (first cause: ' || ${text("first_cause", "agent")} ||
        ', run ' || ${text("first_cause", "run_id")} || ': ' || ${text("first_cause", "summary")} || ')' ELSE '' END)`;
  const envelope = (parts: { summary: string; details: string; modified: string }): string =>
    [
      `'{"status":' || ${d.quote(status)} || ',"summary":' || ${d.quote(parts.summary)} || ',"details":' || ${d.quote(parts.details)}`,
      `',"files_modified":' || ${parts.modified}`,
      ...[
        "files_created",
        "tests_run",
        "tests_passed",
        "warnings",
        "suggestions",
        "iteration_count",
        "duration_ms",
      ].map((key) => `',"${key}":' || coalesce(${of(key)}, 'null')`),
      ...["output", "stop_reason", "team", "unmerged"].map(fieldIf),
      `',"child_run_id":' || ${d.quote(d.text("told", "child_run_id"))} || '}'`,
    ].join(" || ");
  const whole = envelope({
    summary,
    details: `coalesce(${text("details")}, '')`,
    modified: of("files_modified"),
  });
  const id = d.quote(d.text("told", "child_run_id"));
  const forTool = `(SELECT '[result of ' || tool.name || '] ' || CASE
      WHEN tool.name LIKE 'run!_%!_agent' ESCAPE '!' THEN '{"success":' || ${d.json("told", "success")} || ',"child_run_id":' || ${id} ||
        ',"summary":' || ${d.quote(summary)} || CASE WHEN ${d.has("told", "result", "stop_reason")}
          THEN ',"stop_reason":' || ${of("stop_reason")} || ',"warnings":' || ${of("warnings")} ELSE '' END || '}'
      WHEN tool.name = 'mcp__agent__spawn' THEN '{"agentId":' || ${id} || ',"status":' || ${d.quote(status)} || ',"result":' || ${whole} || '}'
      WHEN tool.name = 'delegate_to_agent' THEN (SELECT ${envelope({ summary: "said.summary", details: "said.details", modified: joinedLists(of("files_created"), of("files_modified")) })}
        FROM ${splitText(d, { summary, details: text("details") })} AS said)
      ELSE ${whole} END FROM (SELECT ${callName} AS name) AS tool)`;
  const late = `'Run ' || ${d.text("told", "child_run_id")} || ' of ' || ${begun(d.text("begun", "agent_type"))} || ', which you started, ' ||
      CASE WHEN (${d.json("told", "success")}) = 'true' THEN 'is done' ELSE 'did not succeed' END || ':' || ${d.newLine} || ${whole}`;
  return `CASE WHEN ${isLate} THEN ${late} ELSE ${forTool} END`;
}

/** Two JSON lists as one. */
const joinedLists = (one: string, other: string): string =>
  `CASE WHEN ${one} = '[]' THEN ${other} WHEN ${other} = '[]' THEN ${one}
    ELSE substr(${one}, 1, length(${one}) - 1) || ',' || substr(${other}, 2) END`;

/** S2-55, S2-56: as `splitAnswer` in `child-result.ts`: the first paragraph of a longer answer, with a heading above it, is its summary. */
function splitText(d: ViewDialect, { summary, details }: { summary: string; details: string }): string {
  const gap = `${d.newLine} || ${d.newLine}`;
  const at = (text: string): string => d.position(text, gap);
  const blank = `' ' || ${d.newLine}`;
  const end = `CASE WHEN whole.text LIKE '#%' AND ${at("whole.text")} > 0
      AND ${d.position(`substr(whole.text, 1, ${at("whole.text")} - 1)`, d.newLine)} = 0
      AND ${at(`substr(whole.text, ${at("whole.text")} + 2)`)} > 0
    THEN ${at("whole.text")} + 1 + ${at(`substr(whole.text, ${at("whole.text")} + 2)`)}
    WHEN whole.text LIKE '#%' AND ${at("whole.text")} > 0
      AND ${d.position(`substr(whole.text, 1, ${at("whole.text")} - 1)`, d.newLine)} = 0 THEN 0 ELSE ${at("whole.text")} END`;
  return `(SELECT CASE WHEN cut.at = 0 THEN cut.text ELSE substr(cut.text, 1, cut.at - 1) END AS summary,
      CASE WHEN cut.at = 0 THEN cut.details ELSE trim(substr(cut.text, cut.at + 2), ${blank}) END AS details
    FROM (SELECT whole.text AS text, whole.details AS details, CASE WHEN whole.details <> '' THEN 0 ELSE ${end} END AS at
      FROM (SELECT ${summary} AS text, coalesce(${details}, '') AS details) AS whole) AS cut)`;
}

/** S2-29: finds the model calls of a run without reading its other events, and the runs of a session. */
export const VIEW_INDEXES = `
  CREATE INDEX events_calls ON events (run, seq) WHERE type = 'MODEL_CALL_STARTED';
  CREATE INDEX runs_session_id ON runs (coalesce(session, root));
`;
