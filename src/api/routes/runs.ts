// Starts runs and reads them. Reading changes nothing (A19).

import { z } from "zod";
import { isTerminal } from "../../agents/explain/terminal-agents.ts";
import { LimitsInput } from "../../config/limits.ts";
import { Definition, Rules } from "../../journal/definition.ts";
import { RunStatus, WAITING_KINDS } from "../../journal/events.ts";
import { Usage } from "../../journal/message.ts";
import { loadDefinition } from "../../loop/drive/run-journal.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { searchWords } from "../../projections/formats/search-text.ts";
import type { ApiParts } from "../parts.ts";
import { listRuns, RUN_ORDERS, RunPage } from "../views/list-runs.ts";
import { findRun, subtreeOf } from "../views/read-runs.ts";
import { RunDetail, runDetail } from "../views/run-detail.ts";
import { RunTree, readRunTree } from "../views/run-tree.ts";
import { Context, readTranscript, summarizeTranscript } from "../views/transcript.ts";
import { Verification, verifyRun } from "../views/verify-run.ts";
import { MessagePage } from "./messages.ts";
import { route } from "./route.ts";
import {
  Count,
  Flag,
  MEGABYTES_WITH_FILES,
  namedObject,
  namedStrictObject,
  PageQuery,
  pageFields,
  SentFiles,
  Started,
} from "./schemas.ts";

/** A relative path of plain folder names, without `..`. */
const EVAL_FOLDER = /^\w[\w-]{0,99}(\/\w[\w-]{0,99}){1,4}$/;

export const StartRun = namedStrictObject("StartRun", {
  agent: z.string().min(1),
  task: z.string().min(1),
  input: z.unknown().exactOptional(),
  mode: z.enum(["auto", "chat"]).exactOptional(),
  /** True if a person is available to answer questions. */
  attended: z.boolean().exactOptional(),
  sessionId: z.string().min(1).exactOptional(),
  limits: LimitsInput.exactOptional(),
  permissions: Rules.strict().exactOptional(),
  /** The model to use instead of the agent's own model. */
  model: z.string().min(1).exactOptional(),
  /** A folder of the project's evals. The run works in it instead of the project's folder. */
  workspace: z.string().regex(EVAL_FOLDER, "must name a folder of an eval").exactOptional(),
  /** Files of the workspace that the task is about. */
  context_files: z.array(z.string().min(1).max(1_000)).max(50).exactOptional(),
  /** Images and PDFs that the model sees with the task. */
  attachments: SentFiles.exactOptional(),
});
export type StartRun = z.input<typeof StartRun>;

export const RunsQuery = z.strictObject({
  /** One status, or several statuses separated by commas. */
  status: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(RunStatus))
    .exactOptional(),
  agent: z.string().min(1).exactOptional(),
  root: z.string().min(1).exactOptional(),
  parent: z.string().min(1).exactOptional(),
  session: z.string().min(1).exactOptional(),
  /** Return only forks and retries of runs in the tree with this root. */
  branchesOf: z.string().min(1).exactOptional(),
  /** Return only runs of this user. */
  user: z.string().min(1).exactOptional(),
  /** Return only runs without a parent. */
  roots: Flag.exactOptional(),
  /** Return only runs that started at this time or later, in milliseconds since the epoch. */
  since: Count.exactOptional(),
  /** Return only runs that wait for this reason. `person` means that the run waits for a person, for any reason except a pause. */
  waiting: z.enum([...WAITING_KINDS, "person"]).exactOptional(),
  /**
   * Sorts the latest 500 matches, and returns them as one page. If absent, the newest runs come first, page by page.
   * `relevance` needs `q`, and sorts the latest 200 matches: those whose task or result contains the words come first.
   */
  order: z.enum(RUN_ORDERS).exactOptional(),
  /** Whether a sorted list begins with the smallest value. */
  ascending: Flag.exactOptional(),
  /** Whether to return also the number of matches on all pages. */
  total: Flag.exactOptional(),
  /** Words to search for. The run's journal must contain each of them, as a word or as the beginning of a word. */
  q: z
    .string()
    .max(200)
    .refine((text) => searchWords(text).length > 0, "must have a word in it")
    .exactOptional(),
  ...pageFields,
});

export type RunsFilter = z.output<typeof RunsQuery>;

/** The view `summary` returns one line for each message. */
export const ContextQuery = z.strictObject({ view: z.enum(["summary", "raw"]).default("raw") });

/** `seq` is the event that began the call, or the event with its outcome. */
export const RequestQuery = z.strictObject({ seq: Count });

export const ModelRequest = namedObject("ModelRequest", {
  /** The event that began the call. */
  seq: z.int(),
  model: z.string(),
  /** Why the model was asked: `turn`, `final`, `summary` or `brief`. */
  purpose: z.string(),
  attempt: z.int(),
  system: z.string(),
  tools: z.array(
    z.object({ name: z.string(), description: z.string().optional(), inputSchema: z.unknown() }),
  ),
  /** The tool that the model must call, or `none`. Absent if the model may choose. */
  toolChoice: z.string().optional(),
  /** The messages as they were sent. Contents of files are replaced by their sizes. */
  messages: z.array(
    z.object({
      role: z.enum(["user", "assistant", "tool"]),
      content: z.array(z.object({ type: z.string() })),
    }),
  ),
  settings: z.object({
    temperature: z.number().optional(),
    maxOutputTokens: z.int().optional(),
    reasoning: z.unknown().optional(),
  }),
  /**
   * The parts that differ from the recorded fingerprint of the request. Empty if the request is exactly what was sent.
   * Absent if there is no fingerprint, as for scripted models.
   */
  differs: z.array(z.enum(["tools", "system", "messages"])).optional(),
  /** The first part that the provider could not read from its cache, because it differs from the run's previous prompt. */
  brokeCache: z.enum(["tools", "system", "messages", "files"]).optional(),
  /** The tokens of the call. Absent if it has no answer yet. */
  usage: Usage.optional(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

export const RunDefinition = namedObject("RunDefinition", {
  /** The definition that the run started with. The agent's file might have changed since then. */
  definition: Definition,
  /** True if the agent's own text is the final answer. */
  isTerminal: z.boolean(),
});
export type RunDefinition = z.infer<typeof RunDefinition>;

/** The result of repeating the decisions of recorded runs with today's code and rules. */
export const ReplayView = namedObject("ReplayView", {
  runs: z.int(),
  events: z.int(),
  /** Number of decisions that the replay repeated. */
  decisions: z.int(),
  /** The first decision that differs from the recorded decision. */
  divergence: z
    .object({
      runId: z.string(),
      agent: z.string(),
      seq: z.int(),
      position: z.int(),
      recorded: z.string(),
      now: z.string(),
    })
    .optional(),
});

export function runRoutes(parts: ApiParts) {
  const { store, admit, who, people } = parts;
  return [
    route.post(
      "/api/runs",
      {
        summary: "Start a run",
        body: StartRun,
        maxMegabytes: MEGABYTES_WITH_FILES,
        answer: Started,
        status: 201,
        idempotent: true,
      },
      async ({ body: { context_files: contextFiles, ...body }, idempotencyKey }, c) => {
        const request = { ...body, ...omitUndefined({ contextFiles }), userId: who(c.req.raw) };
        const { runId } = await admit(request, idempotencyKey);
        return { runId };
      },
    ),
    route.get(
      "/api/runs",
      { summary: "Runs, newest first", query: RunsQuery, answer: RunPage, etag: true },
      ({ query }) => listRuns(parts, query),
    ),
    route.get(
      "/api/runs/{id}",
      { summary: "One run", answer: RunDetail, etag: true },
      async ({ params: { id } }) => runDetail(store, await findRun(store, id)),
    ),
    route.get(
      "/api/runs/{id}/tree",
      { summary: "A run and its descendants", answer: RunTree },
      async ({ params: { id } }) => readRunTree(store, await findRun(store, id)),
    ),
    route.get(
      "/api/runs/{id}/context",
      { summary: "What the model of a run sees", query: ContextQuery, answer: Context },
      async ({ params: { id }, query: { view } }) => {
        const transcript = await readTranscript(await findRun(store, id), parts);
        return view === "raw" ? transcript : summarizeTranscript(transcript);
      },
    ),
    route.get(
      "/api/runs/{id}/request",
      {
        summary: "The exact request of a model call: system prompt, tools and messages",
        query: RequestQuery,
        answer: ModelRequest,
      },
      async ({ params: { id }, query: { seq } }) => parts.sentRequest((await findRun(store, id)).id, seq),
    ),
    route.get(
      "/api/runs/{id}/definition",
      { summary: "The definition that a run has pinned", answer: RunDefinition },
      async ({ params: { id } }) => {
        const definition = await loadDefinition(store, (await findRun(store, id)).definition);
        return { definition, isTerminal: isTerminal(definition) };
      },
    ),
    route.get(
      "/api/runs/{id}/messages",
      { summary: "The model calls of a run, one row each", query: PageQuery, answer: MessagePage },
      async ({ params: { id }, query }) =>
        store.usage.messages({ run: (await findRun(store, id)).id, ...query }),
    ),
    route.get(
      "/api/runs/{id}/verify",
      {
        summary: "Verify the journals of a run and its descendants, and that only approved calls ran",
        answer: Verification,
      },
      async ({ params: { id } }) => verifyRun(store, await findRun(store, id), people.digest),
    ),
    route.get(
      "/api/runs/{id}/replay",
      {
        summary: "Whether a run and its descendants would be decided the same way today",
        answer: ReplayView,
      },
      async ({ params: { id } }) => {
        const rows = await subtreeOf(store, await findRun(store, id));
        return parts.replay(rows.map((row) => row.id));
      },
    ),
  ];
}
