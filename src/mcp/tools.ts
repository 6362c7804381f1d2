// Wraps a tool of an MCP server as a tool for the loop. The model sees the pinned description.
// Before each call, the pinned tool is compared with the server's current list of tools.
// A tool that has changed since it was pinned is not called (A49).

import type { CallToolResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { describeFile, detectMediaType, fileSize } from "../journal/attachment.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { revealHidden } from "../journal/visible.ts";
import { boundOutput, CONTEXT_BYTES } from "../tools/answers.ts";
import type { AnyTool, ToolAnswer, ToolContext } from "../tools/tool.ts";
import { checkInput } from "./check-input.ts";
import { type Connection, ServerFailure } from "./connection.ts";
import { type ListedTool, toolHash } from "./listing.ts";
import { toolName } from "./names.ts";

export interface ServerParts {
  name: string;
  /** The server's command or URL, shown to the person who approves a call. */
  how: string;
  /** How a person approves the server after a change. */
  review: string;
  /** Hash of the server's launch: its command or URL, variables and program files. */
  launchHash: string;
  trusted: boolean;
  readOnly: boolean;
  timeout: number | undefined;
  connection(): Connection | { problem: string };
  /** Called if the server's current tool differs from the pinned tool. */
  changed(tool: string): void;
}

/** Maximum number of characters of a description that the model sees. A person sees the whole description. */
const MAX_DESCRIPTION = 4_000;

export function serverTool(pinned: ListedTool, server: ServerParts): AnyTool {
  const { description, inputSchema } = pinned;
  const words =
    description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION)}…` : description;
  const hash = toolHash(pinned);
  return {
    name: toolName(server.name, pinned.name),
    description: `Tool ${pinned.name} of the MCP server ${server.name}. ${words}`.trim(),
    input: z.record(z.string(), z.unknown()).superRefine((input, context) => {
      for (const { path, message } of checkInput(inputSchema, input))
        context.addIssue({ code: "custom", path, message });
    }),
    schema: inputSchema,
    server: server.name,
    effect: server.readOnly ? "read" : "unsafe",
    reaches: server.readOnly ? ["network"] : ["commands", "files", "network"],
    hosts: [`MCP server ${server.name}`],
    ...(server.timeout === undefined ? {} : { timeout: server.timeout }),
    execute: (input: Record<string, unknown>, context) => call(pinned, hash, input, server, context),
    preview: async (input) => ({
      text: previewText(pinned, input, server),
      fingerprint: `${server.launchHash} ${hash}`,
    }),
  };
}

async function call(
  pinned: ListedTool,
  hash: string,
  input: Record<string, unknown>,
  server: ServerParts,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { signal } = context;
  const said = { server: server.name, trusted: server.trusted, nonce: context.nonce() };
  const connection = server.connection();
  if ("problem" in connection) return staleAnswer(connection.problem);
  try {
    const { tools } = await connection.list(signal);
    const now = tools.find(({ name }) => name === pinned.name);
    if (!now || toolHash(now) !== hash) {
      server.changed(pinned.name);
      return staleAnswer(changedText(server, pinned.name, now !== undefined));
    }
    return answerOf(await connection.call(pinned, input, signal), said);
  } catch (error) {
    const sent = error instanceof ServerFailure && error.sent;
    const lead = sent
      ? `${pinned.name} of ${server.name} did not answer well${outcomeText(server)}. `
      : NOT_CALLED;
    return { ...markAnswer(lead, messageOf(error), said), isError: true };
  }
}

const NOT_CALLED = "Nothing was called. Go on without this tool, or say that it is missing. ";

const outcomeText = ({ readOnly }: ServerParts): string =>
  readOnly ? "" : "; what it was asked to do may be done";

const staleAnswer = (output: string): ToolAnswer => ({ output, isError: true, stale: true });

const changedText = ({ name: server, review }: ServerParts, tool: string, isThere: boolean): string =>
  `Nothing was called: the MCP server ${server} ${isThere ? `has another ${tool} than the one that was approved` : `no longer has ${tool}`}. A person can ${review}. Go on without it.`;

/** Shows the server, the input and the full description, and makes hidden characters visible (A48). */
function previewText(
  { name, description }: ListedTool,
  input: unknown,
  { name: server, how }: ServerParts,
): string {
  const says =
    description === "" ? "The server says nothing about it." : `The server says of it: ${description}`;
  return revealHidden(
    `${name} of the MCP server ${server} (${how})\n\n${JSON.stringify(input, null, 2)}\n\n${says}`,
  );
}

interface AnswerSource {
  server: string;
  /** True if the user trusts the server's text. */
  trusted: boolean;
  nonce: string;
}

/** Bytes reserved for the untrusted mark and for Cadre's own text before it. */
const FRAME = 1_000;

/** Returns the text that a model reads. A mark surrounds the text of an untrusted server, and that text cannot end the mark. */
function answerOf(result: CallToolResult, said: AnswerSource): ToolAnswer {
  const attachments: Files = [];
  const text = textOf(result, attachments) || "(no content)";
  const answer = {
    ...markAnswer("", text, said),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
  return result.isError === true ? { ...answer, isError: true } : answer;
}

type Files = NonNullable<ToolAnswer["attachments"]>;

/** `lead` is Cadre's own text, which comes before the server's text. */
function markAnswer(lead: string, text: string, { server, trusted, nonce }: AnswerSource): ToolAnswer {
  const source = `mcp ${server}`;
  const withMark = (words: string): string => lead + (trusted ? words : markUntrusted(nonce, source, words));
  const { text: shown, cut } = boundOutput(text, CONTEXT_BYTES - FRAME);
  return {
    output: withMark(shown),
    ...(cut ? { full: withMark(text) } : {}),
    ...(trusted ? {} : { untrusted: source }),
  };
}

/** Adds the images and PDFs of the result to `files`. */
function textOf({ content, structuredContent }: CallToolResult, files: Files): string {
  const parts = content.map((part) => partText(part, files)).filter((part) => part !== "");
  if (parts.length > 0 || structuredContent === undefined) return parts.join("\n");
  return JSON.stringify(structuredContent, null, 2);
}

function partText(part: CallToolResult["content"][number], files: Files): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return fileText(`${part.type} ${part.mimeType}`, part.data, files);
    case "resource_link":
      return `[resource ${part.uri}${part.description === undefined ? "" : `: ${part.description}`}]`;
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return fileText(`resource ${resource.uri}`, resource.blob, files);
    }
    default:
      return "[content of a kind that is not known here]";
  }
}

/** Describes a file from the server. Cadre chooses its name, because a name from the server would be outside the untrusted mark. */
function fileText(what: string, data: string, files: Files): string {
  const bytes = Buffer.from(data, "base64");
  const mediaType = detectMediaType(bytes);
  if (mediaType === undefined) return `[${what}, ${fileSize(bytes.length)}: it cannot be shown here]`;
  const name = `file-${files.length + 1}.${mediaType.split("/")[1]}`;
  files.push({ name, bytes });
  return `[${what}: attached as ${describeFile({ name, mediaType, bytes: bytes.length })}]`;
}
