// `cadre acp`: lets editors use Cadre as an agent of the Agent Client Protocol, over stdin and stdout.
// The process connects to the store of each open folder: it owns the store and drives the runs, or is a client of the owner.
// The process exits when stdin ends.

import { once } from "node:events";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { createAcpAgent } from "../../api/acp/agent.ts";
import { CadreError } from "../../errors.ts";
import { version } from "../../runtime/version.ts";
import { openReconnectingClient, type ReconnectingClient } from "../connection/reconnecting-client.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { watchShutdown } from "../terminal/shutdown.ts";

export async function acp({ folder: here, io }: Invocation, { agent }: { agent?: string }): Promise<number> {
  const leaving = watchShutdown(io);
  const over = new AbortController();
  const signal = AbortSignal.any([leaving.signal, over.signal]);
  const projects = new Map<string, Promise<ReconnectingClient>>();
  const open = async (folder: string) => {
    refuseNoFolder(folder);
    const opened = projects.get(folder) ?? openReconnectingClient({ folder, io, drive: true, via: "acp" });
    projects.set(folder, opened);
    opened.catch(() => projects.delete(folder));
    return (await opened).withClient;
  };
  try {
    const app = createAcpAgent({ version: version(), folder: here, agent, open, signal });
    const output = Writable.toWeb(io.stdout as NodeJS.WritableStream as Writable);
    const connection = app.connect(
      ndJsonStream(output, Readable.toWeb(io.stdin as Readable) as ReadableStream<Uint8Array>),
    );
    void connection.closed.then(() => over.abort());
    if (!signal.aborted) await once(signal, "abort");
    connection.close();
    for (const project of projects.values()) await (await project).close();
    return EXIT.done;
  } finally {
    leaving.dispose();
  }
}

/** Refuses a folder that does not exist, because Cadre would create a store in the wrong place. */
function refuseNoFolder(folder: string): void {
  const problem = !isAbsolute(folder)
    ? `${folder} is no absolute path, and the protocol asks for one.`
    : statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? undefined
      : `There is no folder ${folder}.`;
  if (problem !== undefined) throw new CadreError("BAD_REQUEST", `${problem} Nothing was opened.`);
}
