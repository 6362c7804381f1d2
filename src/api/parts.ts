// The parts that the API needs.
// `who` names the person who sends a request. The public server identifies named users.
// A request over the socket or with the folder's token acts as the user who started this process.

import type { Agent } from "../agents/agent.ts";
import type { Explanation } from "../agents/explain/explanation-schema.ts";
import type { AgentFile } from "../agents/files/agent-file.ts";
import type { PoolFilter, Pools } from "../config/pools.ts";
import type { Problem } from "../config/problem.ts";
import type { RunId } from "../ids.ts";
import type { Delta } from "../journal/deltas.ts";
import type { RunRequest } from "../loop/commands/admit.ts";
import type { ForkRequest } from "../loop/commands/fork.ts";
import type { PersonMessage } from "../loop/commands/messages.ts";
import type { CommandParts } from "../loop/commands/person-commands.ts";
import type { SentRequest } from "../loop/model/sent-request.ts";
import type { LoopParts } from "../loop/parts.ts";
import type { ReplaySummary } from "../loop/replay/replay.ts";
import type { AgentReplay } from "../loop/replay/replay-agent.ts";
import type { Store } from "../stores/store.ts";
import type { Receiver } from "../triggers/hooks/receive.ts";
import type { Scheduler } from "../triggers/scheduler.ts";
import type { Notifier } from "../webhooks/notifier.ts";
import type { Person } from "./access/person.ts";
import type { BrowserAccess } from "./routes/browser-access.ts";
import type { DemoServer } from "./routes/demo.ts";
import type { OtherProjects } from "./routes/projects.ts";
import type { Check } from "./routes/schemas.ts";
import type { WorkspaceTree } from "./routes/workspace.ts";
import type { Hub } from "./server/hub.ts";
import type { Settings } from "./server/settings-file.ts";

export interface ApiParts {
  store: Store;
  people: CommandParts;
  admit(request: RunRequest, idempotencyKey?: string): Promise<{ runId: RunId; existed: boolean }>;
  /** Starts a new run that continues an ended run from its last good event. */
  retry(runId: RunId, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** Starts a new root run with the content of another run up to a chosen event. */
  fork(
    runId: RunId,
    request: ForkRequest,
    idempotencyKey?: string,
    by?: string,
    programs?: "refused",
  ): Promise<{ runId: RunId }>;
  /** Sends a message to a main agent in a session. The message joins the session's active run, or starts the next run. */
  say(message: PersonMessage, idempotencyKey?: string): Promise<{ runId: RunId; joined: boolean }>;
  /** Describes an agent without running it. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  explain(name: string): Promise<Explanation>;
  /** Reads an agent's file from disk. */
  agentFile(file: string): Promise<AgentFile | undefined>;
  /** Repeats the decisions of these runs with today's code and rules. */
  replay(runIds: readonly RunId[]): Promise<ReplaySummary>;
  /** The exact request of a recorded model call, built again from the journal. Throws NOT_FOUND. */
  sentRequest(runId: RunId, seq: number): Promise<SentRequest>;
  /** Repeats the decisions of an agent's runs with the agent's current file. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  replayAgent(agent: string, runIds: readonly RunId[]): Promise<AgentReplay[]>;
  settings: Settings;
  /** Lists the files below a folder of the project, except files that .gitignore excludes. */
  workspaceTree(path: string): Promise<WorkspaceTree | { problem: string }>;
  agents(name?: string): Promise<ListedAgents>;
  systemPrompt: LoopParts["systemPrompt"];
  /** Calls the listener with each delta, a streamed piece of model output. Returns a function that ends the subscription. */
  onDelta(listener: (delta: Delta) => void): () => void;
  /** The texts that the open calls of these runs have streamed so far. The caller checks that the person may see the runs. */
  openTexts(runs: ReadonlySet<RunId>): Delta[];
  /** The findings of `cadre doctor` for this machine and this project's settings. */
  checks(): Promise<Check[]>;
  info: ServerInfo;
  /** Name of the person who sent the request. The journal records the name with the person's action. */
  who(request: Request): string;
  /** `served` is set while a public server listens. `plug` is set only in a demo. */
  web: { served?: BrowserAccess; plug?: DemoServer };
  /** Reports a problem to the user who runs the process. `answered` is set if the client also got an error response. */
  onProblem(problem: { message: string; error: unknown; answered?: true }): void;
  /** The named user whom these routes serve. Absent for the holder of the folder's token. */
  person?: Person;
  /** Other projects of the user who runs this process. */
  projects: OtherProjects;
  /** The project's webhooks. Undefined if none are configured. */
  webhooks?: Pick<Notifier, "hooks" | "owed" | "test">;
  schedules: Pick<Scheduler, "list" | "pause" | "runNow">;
  /** Receives messages of other systems. */
  inbound: Pick<Receiver, "limitOf" | "receive" | "list" | "entry" | "retry">;
}

/** The parts that routes get: the API's parts, the hub, and the name of the acting person. */
export interface RouteParts extends ApiParts {
  hub: Hub;
  /** Returns the person's name and the protocol they used: `maria via MCP`. */
  by(request: Request): string;
}

/** An agent of the project, with the problems in its file. */
export type ListedAgent = Pick<Agent, "name" | "file" | "definition" | "dialect" | "scope" | "references"> & {
  problems: readonly Problem[];
};

export interface ListedAgents {
  agents: ReadonlyMap<string, ListedAgent>;
  problems: readonly Problem[];
}

/** Facts about the process that serves the API. */
export interface ServerInfo {
  version: string;
  folder: string;
  /** The beginning of every `cadre` command for this project. It works in any terminal of this machine. */
  command: string;
  startedAt: number;
  drives: boolean;
  /** True if other processes can have the store open at the same time. */
  isShared: boolean;
  model: string;
  /** The agent of the chat, from cadre.yaml. */
  agent?: string | undefined;
  /** Selects the runs that this process drives. If absent, the process drives all runs. */
  ours?: PoolFilter | undefined;
  /** All pools in the configuration, including pools of other machines. */
  pools?: Pools;
}
