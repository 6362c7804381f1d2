// Everything that the API is given. `who` is the door for identity: whoever has this machine's socket or the folder's token
// is the user whose process this is; a named user is who the public server's door says.

import type { Explanation } from "../agents/explain/explain.ts";
import type { AgentFile } from "../agents/files/agent-file.ts";
import type { RunId } from "../ids.ts";
import type { Delta } from "../journal/deltas.ts";
import type { RunRequest } from "../loop/commands/admit.ts";
import type { PersonMessage } from "../loop/commands/message-session.ts";
import type { CommandParts } from "../loop/commands/person-commands.ts";
import type { LoopParts } from "../loop/parts.ts";
import type { AgentReplay } from "../loop/replay/replay-agent.ts";
import type { Store } from "../stores/store.ts";
import type { Check, ForkBody, LinkView, Recovery, ReplayView, WorkspaceTree } from "./client/types.ts";
import type { ListedAgents } from "./listed-agent.ts";
import type { Settings } from "./server/settings-file.ts";
import type { ServerInfo } from "./server-info.ts";
import type { TeamParts } from "./team-parts.ts";

export interface ApiParts extends TeamParts {
  store: Store;
  people: CommandParts;
  admit(request: RunRequest, idempotencyKey?: string): Promise<{ runId: RunId; existed: boolean }>;
  /** A new run that continues an ended one from its last good event. */
  retry(runId: RunId, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** A new root that begins with what stands in another run up to an event. */
  fork(runId: RunId, request: ForkBody, idempotencyKey?: string, by?: string): Promise<{ runId: RunId }>;
  /** A message to a main agent in a session: joins the run that is active there, or starts the next one. */
  say(message: PersonMessage, idempotencyKey?: string): Promise<{ runId: RunId; joined: boolean }>;
  /** The static picture of an agent. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  explain(name: string): Promise<Explanation>;
  /** The file that an agent is said to come from, as it lies on disk now. */
  agentFile(file: string): Promise<AgentFile | undefined>;
  /** Re-decides these runs with the code and the rules of now. */
  replay(runIds: readonly RunId[]): Promise<ReplayView>;
  /** Re-decides these runs of an agent with its file as it is now. Throws AGENT_NOT_FOUND or AGENT_INVALID. */
  replayAgent(agent: string, runIds: readonly RunId[]): Promise<AgentReplay[]>;
  settings: Settings;
  /** The project's files below a folder of it, without what .gitignore names. */
  workspaceTree(path: string): Promise<WorkspaceTree | { problem: string }>;
  agents(name?: string): Promise<ListedAgents>;
  systemPrompt: LoopParts["systemPrompt"];
  /** Answers with what ends the subscription. */
  onDelta(listener: (delta: Delta) => void): () => void;
  /** What `cadre doctor` would say of this machine and this project's settings. */
  checks(): Promise<Check[]>;
  info: ServerInfo;
  /** Who acts; ends up in the journal beside what was done. */
  who(request: Request): string;
  /** `served`: while a public server listens. `plug`: of a demo's. */
  web: { served?: BrowserAccess; plug?: DemoServer };
  /** Told to whoever runs the process. `answered`: whoever asked was told as well, as far as they may know. */
  onProblem(problem: { message: string; error: unknown; answered?: true }): void;
}

export interface BrowserAccess {
  /** Lets one browser in, once: of a named user, or of whoever holds the token. */
  newLink(user?: string): LinkView;
  renewToken(): void;
}

/** Kills a demo's server, and tells afterwards what became of its runs. */
export interface DemoServer {
  kill(): void;
  /** Undefined: it has not been killed yet. */
  lastRecovery(): Promise<Recovery | undefined>;
}
