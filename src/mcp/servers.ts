// All MCP servers of a project. Cadre learns from the pins which tools the servers have, so it does not have to start them.
// A server without a pin is started and pinned just before the first run of an agent that could use it.
// If the command, URL or a description of a pinned server changes, the change takes effect only after a person approves it.

import type { Clock } from "../clock.ts";
import type { McpServer } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Connection } from "./connection.ts";
import { hidesText, type ListedTool, type Listing } from "./listing.ts";
import { lookalikes, serverNameProblem } from "./names.ts";
import {
  isSameDeclaration,
  isSameLaunch,
  type Launch,
  launchHash,
  launchOf,
  launchText,
  type Pin,
  pinFile,
  readPin,
  writePin,
} from "./pins.ts";
import { createConnection } from "./reconnecting-connection.ts";
import { serverTool } from "./tools.ts";

export interface McpServers {
  readonly names: readonly string[];
  /** Reasons why some of the configured servers are not used. */
  readonly problems: readonly ServerProblem[];
  /** The unchanged tools of the pinned servers. Returns the same array until a tool changes. */
  tools(): readonly AnyTool[];
  /** Reads the pins of these servers again. Starts servers without a pin and pins them. Returns the problems. */
  ready(names: readonly string[]): Promise<string[]>;
  /** Starts the server and lists its tools, so that a person can approve them. */
  inspect(name: string): Promise<ServerInspection>;
  /** Returns the pin, and how Cadre would start the server now. Does not start the server. */
  pinnedState(name: string): Pick<ServerInspection, "pin" | "launch" | "isChanged">;
  approve(name: string, seen: Pick<ServerInspection, "launch" | "listing">): void;
  close(): Promise<void>;
}

export interface ServerProblem {
  server: string;
  message: string;
  suggestion?: string;
}

export interface ServerInspection {
  pin: Pin | undefined;
  launch: Launch;
  /** True if Cadre would now start or reach the server differently than the pin says. */
  isChanged: boolean;
  listing: Listing;
}

export interface ServersParts {
  servers: Readonly<Record<string, McpServer>>;
  /** Names of the servers that a program declares. Its code is trusted: a new command or URL is pinned without a person's approval. */
  inCode: ReadonlySet<string>;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  home?: string;
  environment: Record<string, string | undefined>;
  clock: Clock;
}

interface Entry {
  name: string;
  config: McpServer;
  connection: Connection;
  pin: Pin | undefined;
  launch: Launch;
  /** Names of tools that now differ from the pin. */
  changed: Set<string>;
}

export function createServers(parts: ServersParts): McpServers {
  const { usable, problems } = checkNames(parts.servers);
  const entries = new Map(usable.map(([name, config]) => [name, entryOf(name, config, parts)]));
  let made: readonly AnyTool[] | undefined;
  const forget = (): void => {
    made = undefined;
  };
  for (const entry of entries.values()) if (isChanged(entry)) problems.push(changedProblem(entry, parts));
  const pin = (entry: Entry, launch: Launch, tools: readonly ListedTool[]): void => {
    entry.pin = {
      folder: parts.folder,
      server: entry.name,
      at: nowText(parts.clock),
      launch,
      tools: [...tools],
    };
    entry.changed.clear();
    forget();
    writePin(parts, entry.pin);
  };
  const entryNamed = (name: string): Entry => entries.get(name)!;
  return {
    names: [...entries.keys()],
    problems,
    tools: () => (made ??= [...entries.values()].flatMap((entry) => toolsOf(entry, parts, forget))),
    async ready(names) {
      const said = names
        .filter((name) => entries.has(name))
        .map(async (name) => {
          const entry = entryNamed(name);
          if (refresh(entry, parts)) forget();
          if (entry.pin) return isChanged(entry) ? [changedText(entry, parts)] : [];
          return pinFirst(entry, pin, parts);
        });
      return (await Promise.all(said)).flat();
    },
    pinnedState(name) {
      const entry = entryNamed(name);
      refresh(entry, parts);
      return { pin: entry.pin, launch: entry.launch, isChanged: isChanged(entry) };
    },
    async inspect(name) {
      const entry = entryNamed(name);
      refresh(entry, parts);
      const listing = await entry.connection.list();
      return { pin: entry.pin, launch: entry.launch, isChanged: isChanged(entry), listing };
    },
    approve: (name, { launch, listing }) => pin(entryNamed(name), launch, listing.tools),
    async close() {
      await Promise.all([...entries.values()].map(({ connection }) => connection.close()));
    },
  };
}

function checkNames(servers: ServersParts["servers"]): {
  usable: [string, McpServer][];
  problems: ServerProblem[];
} {
  const all = Object.entries(servers);
  const problems: ServerProblem[] = [];
  const alike = lookalikes(all.map(([name]) => name));
  const usable = all.filter(([name]) => {
    const why =
      serverNameProblem(name) ??
      (alike.has(name) ? "another server is called nearly the same, and neither is used" : undefined);
    if (why !== undefined) problems.push({ server: name, message: `is not used: ${why}` });
    return why === undefined;
  });
  return { usable, problems };
}

function entryOf(name: string, config: McpServer, parts: ServersParts): Entry {
  const launch = launchOf(config, parts.folder);
  return {
    name,
    config,
    connection: connectionTo(name, config, parts),
    pin: pinFor(name, launch, parts),
    launch,
    changed: new Set(),
  };
}

/** Reads the pin. The pin of a program's server does not count if the program now declares the server differently. */
function pinFor(name: string, launch: Launch, parts: ServersParts): Pin | undefined {
  const pin = readPin(parts, name);
  return pin && parts.inCode.has(name) && !isSameDeclaration(pin.launch, launch) ? undefined : pin;
}

const connectionTo = (name: string, server: McpServer, parts: ServersParts): Connection => {
  const { folder, environment, env, clock } = parts;
  return createConnection({ name, server, folder, environment, env, clock });
};

/** Reads the pin again. Returns true if a person has approved the server in another process since the last read. */
function refresh(entry: Entry, parts: ServersParts): boolean {
  entry.launch = launchOf(entry.config, parts.folder);
  const pin = pinFor(entry.name, entry.launch, parts);
  // If the pin could not be written to disk, the pin in memory is used until the process ends.
  if (!pin || pin.at === entry.pin?.at) return false;
  if (entry.pin && !isSameLaunch(entry.pin.launch, pin.launch)) {
    void entry.connection.close();
    entry.connection = connectionTo(entry.name, entry.config, parts);
  }
  entry.pin = pin;
  entry.changed.clear();
  return true;
}

const isChanged = ({ pin, launch }: Entry): boolean => pin !== undefined && !isSameLaunch(pin.launch, launch);

function changedProblem({ name, pin, launch }: Entry, parts: ServersParts): ServerProblem {
  const [was, is] = [launchText(pin!.launch), launchText(launch)];
  const how = was === is ? "its program or its variables are" : `it was \`${was}\` and is \`${is}\`:`;
  return {
    server: name,
    message: `is not used: ${how} not what was approved`,
    suggestion: reviewOf(name, parts),
  };
}

function changedText(entry: Entry, parts: ServersParts): string {
  const { message, suggestion } = changedProblem(entry, parts);
  return `The MCP server ${entry.name} ${message}; a person can ${suggestion}.`;
}

/** Says how a person approves a changed server. The command line does not know the servers of a program. */
const reviewOf = (name: string, parts: ServersParts): string =>
  parts.inCode.has(name)
    ? `check it, and then delete its pin, ${pinFile(parts, name)}`
    : `look at it with \`cadre servers approve ${name}\``;

/** Lists a server's tools and pins them for the first time. Tools with hidden characters need a person's approval. */
async function pinFirst(
  entry: Entry,
  pin: (entry: Entry, launch: Launch, tools: readonly ListedTool[]) => void,
  parts: ServersParts,
): Promise<string[]> {
  const { name, launch } = entry;
  try {
    const { tools, problems } = await entry.connection.list();
    const hiding = tools.filter(hidesText);
    const said = [
      ...problems.map((problem) => `The MCP server ${name}: ${problem}.`),
      ...hiding.map((tool) => hidingText(name, tool, parts)),
    ];
    try {
      pin(
        entry,
        launch,
        tools.filter((tool) => !hiding.includes(tool)),
      );
    } catch (error) {
      said.push(`The tools of ${name} could not be pinned for the next time: ${messageOf(error)}.`);
    }
    return said;
  } catch (error) {
    return [messageOf(error)];
  }
}

const hidingText = (server: string, tool: ListedTool, { inCode }: ServersParts): string => {
  const see = inCode.has(server) ? "" : ` See it with cadre servers approve ${server}.`;
  return `The MCP server ${server}: ${tool.name} is not used, because its description hides characters.${see}`;
};

function toolsOf(entry: Entry, parts: ServersParts, forget: () => void): AnyTool[] {
  const { name, config, pin, changed } = entry;
  if (!pin || isChanged(entry)) return [];
  return pin.tools
    .filter((tool) => !changed.has(tool.name))
    .map((tool) =>
      serverTool(tool, {
        name,
        how: launchText(pin.launch),
        review: reviewOf(name, parts),
        launchHash: launchHash(pin.launch),
        trusted: config.trusted === true,
        readOnly: config.readOnly?.includes(tool.name) === true,
        timeout: config.timeout,
        connection() {
          entry.launch = launchOf(config, parts.folder);
          if (!isChanged(entry)) return entry.connection;
          forget();
          return { problem: `Nothing was called. ${changedText(entry, parts)}` };
        },
        changed(one) {
          changed.add(one);
          forget();
        },
      }),
    );
}

const nowText = (clock: Clock): string => new Date(clock.now()).toISOString();
