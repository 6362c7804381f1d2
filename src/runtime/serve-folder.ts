// Serves the commands of a folder while a program embeds Cadre. The library loads this file only when a store is open.

import { createApp } from "../api/server/app.ts";
import { serveOnSocket } from "../api/server/socket.ts";
import { apiParts } from "./api-parts.ts";
import type { RuntimeAssembly } from "./assembly.ts";

export const serveFolder = (
  assembly: RuntimeAssembly,
  socket: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ close(): Promise<void> }> => serveOnSocket(createApp(apiParts(assembly, true, env)), socket);
