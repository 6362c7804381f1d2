// Doctor's checks of MCP servers. The checks start no server.

import { launchText } from "../../mcp/pins.ts";
import type { McpServers } from "../../mcp/servers.ts";
import { plural } from "../../projections/words/format.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

export function mcpServerChecks(servers: McpServers): Finding[] {
  const changed = servers.problems.map(({ server, message, suggestion }): Finding => {
    const text = `${server} ${message}`;
    return { state: "warn", name: "servers", text, ...(suggestion ? { fix: suggestion } : {}) };
  });
  const fine = servers.names.flatMap((name): Finding[] => {
    const { pin, launch, isChanged } = servers.pinnedState(name);
    if (isChanged) return [];
    const how = launchText(launch);
    const text = pin
      ? `${name}: ${plural(pin.tools.length, "tool")} of ${how}`
      : `${name}: not used yet, ${how}`;
    return [{ state: "ok", name: "servers", text }];
  });
  return [...changed, ...fine];
}
