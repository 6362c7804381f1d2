import { CommandText } from "../../../display/command/command-text.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";

/** A call that leaves this machine: the host, or the MCP server and its tool, then the whole input. */
export function ServerCall({ tool, fields }: { tool: string; fields: Record<string, unknown> }) {
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  const url = typeof fields["url"] === "string" ? fields["url"] : undefined;
  return (
    <div className="flex flex-col gap-2">
      {server !== undefined && (
        <p>
          Calls <Name text={name ?? ""} /> of the MCP server <Name text={server} />
        </p>
      )}
      {url !== undefined && (
        <p>
          Contacts <Name text={URL.parse(url)?.host ?? "an unreadable URL"} />
        </p>
      )}
      <CommandText
        text={server === undefined && url !== undefined ? url : JSON.stringify(fields, null, 2)}
        className="rounded-md border border-line bg-raised p-3"
      />
    </div>
  );
}

const Name = ({ text }: { text: string }) => (
  <strong className="break-all font-semibold">
    <VisibleText text={text} />
  </strong>
);
