// A scripted agent that speaks the Agent Client Protocol, built on the official package. It is a process that uses stdin and stdout.
// The prompt contains the script, with one action on each line. The agent logs everything it receives and does, and tests read the log.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  type SessionUpdate,
  type ToolCall,
  type ToolKind,
} from "@agentclientprotocol/sdk";

const LOG = process.env["ACP_LOG"] ?? "acp.log";
const LOADS = process.env["ACP_LOADS"] === "1";
const log = (...words: unknown[]): void => appendFileSync(LOG, `${words.join(" ")}\n`);

const OPTIONS: Record<string, PermissionOption[]> = {
  usual: [
    { optionId: "a1", name: "Always", kind: "allow_always" },
    { optionId: "r1", name: "No", kind: "reject_once" },
    { optionId: "a2", name: "Once", kind: "allow_once" },
    { optionId: "r2", name: "Never", kind: "reject_always" },
  ],
  always: [
    { optionId: "a1", name: "Always", kind: "allow_always" },
    { optionId: "r2", name: "Never", kind: "reject_always" },
  ],
};

let cancelled = Promise.withResolvers<void>();
let calls = 0;

/** Performs one line of the script. Returns the stop reason if the line ends the turn. */
async function act(line: string, sessionId: string, client: AgentContext): Promise<string | undefined> {
  const [verb = "", ...rest] = line.trim().split(" ");
  const words = rest.join(" ");
  const tell = (update: SessionUpdate): Promise<void> =>
    client.notify(methods.client.session.update, { sessionId, update });
  const say = (text: string): Promise<void> =>
    tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  switch (verb) {
    case "say":
      for (const word of words.split(/(?<= )/)) await say(word);
      return undefined;
    case "long":
      await say("x".repeat(Number(words)));
      return undefined;
    case "plan":
      await tell({
        sessionUpdate: "plan",
        entries: [{ content: words, priority: "high", status: "in_progress" }],
      });
      return undefined;
    case "cost":
      await tell({
        sessionUpdate: "usage_update",
        used: 10,
        size: 100,
        cost: { amount: Number(words), currency: "USD" },
      });
      return undefined;
    case "strange":
      await tell({ sessionUpdate: "no_such_kind", what: words } as never);
      await tell({
        sessionUpdate: "tool_call_update",
        toolCallId: "nobody-knows",
        status: "completed",
        title: words,
      });
      return undefined;
    case "run":
    case "ask":
    case "ask-always":
    case "begin-ask":
    case "ask-bare":
      return doOrAsk(verb, words, { sessionId, client, tell });
    case "child": {
      const child = spawn("sleep", ["600"], { stdio: "ignore" });
      log("child", child.pid);
      return undefined;
    }
    case "die":
      process.exit(Number(words || "3"));
      break;
    case "wait":
      log("waiting", process.pid);
      await cancelled.promise;
      return "cancelled";
    case "hang":
      log("hanging", process.pid);
      await new Promise(() => {});
      break;
    case "touch":
      writeFileSync(words, "");
      return undefined;
    case "stop":
      return words;
    default:
      return undefined;
  }
  return undefined;
}

interface Here {
  sessionId: string;
  client: AgentContext;
  tell(update: SessionUpdate): Promise<void>;
}

/**
 * `ask execute rm -rf x` asks for permission first; `run execute ls` does not ask.
 * `begin-ask` behaves like Codex: it reports the call as started before it asks for permission, and stops if permission is denied.
 * `begin-ask` also reports output in a separate field, like Codex.
 * `ask-bare` behaves like the Gemini CLI: it sends no input.
 */
async function doOrAsk(
  verb: string,
  words: string,
  { sessionId, client, tell }: Here,
): Promise<string | undefined> {
  const [kind = "other", ...rest] = words.split(" ");
  const what = rest.join(" ");
  const toolCallId = `call_${++calls}`;
  const isFile = kind === "edit" || kind === "read";
  const paths = what.split(",").map((file) => join(process.cwd(), file));
  const card: ToolCall = {
    toolCallId,
    title: what,
    kind: kind as ToolKind,
    ...(isFile ? { locations: paths.map((path) => ({ path })) } : {}),
    ...(kind === "edit"
      ? { content: paths.map((path) => ({ type: "diff", path, oldText: "old\n", newText: "new\n" })) }
      : {}),
    rawInput: kind === "execute" ? { command: what } : kind === "fetch" ? { url: what } : { what },
  };
  if (verb === "ask-bare") {
    delete card.rawInput;
    card.content = [{ type: "content", content: { type: "text", text: "what it is for" } }];
  }
  if (verb === "begin-ask") await tell({ sessionUpdate: "tool_call", ...card, status: "in_progress" });
  if (verb === "run") await tell({ sessionUpdate: "tool_call", ...card, status: "in_progress" });
  else {
    const options = OPTIONS[verb === "ask-always" ? "always" : "usual"]!;
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { ...card, status: "pending" },
      options,
    });
    const chosen = outcome.outcome === "selected" ? outcome.optionId : "cancelled";
    log("answer", what, chosen);
    if (!chosen.startsWith("a")) {
      await tell({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
      return verb === "begin-ask" ? "cancelled" : undefined;
    }
  }
  log("did", what);
  const over = { sessionUpdate: "tool_call_update", toolCallId, status: "completed" } as const;
  if (verb === "ask-bare") {
    await tell(over);
    return undefined;
  }
  if (verb === "begin-ask") {
    for (const data of ["output ", `of ${what}`])
      await tell({ ...over, status: "in_progress", _meta: { terminal_output_delta: { data } } });
    await tell(over);
    return undefined;
  }
  await tell({
    ...over,
    content: [
      ...(card.content ?? []),
      { type: "content", content: { type: "text", text: `output of ${what}` } },
    ],
  });
  return undefined;
}

agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: LOADS },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = `s${process.pid}`;
    writeFileSync(`${LOG}.${sessionId}`, "");
    log("new", sessionId, process.pid, process.env["ACP_SECRET"] ?? "");
    return {
      sessionId,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "plan", name: "Plan" },
        ],
      },
    };
  })
  .onRequest(methods.agent.session.load, ({ params: { sessionId } }) => {
    if (!existsSync(`${LOG}.${sessionId}`)) throw new Error("no such session");
    log("load", sessionId, process.pid);
    return {};
  })
  .onRequest(methods.agent.session.setMode, ({ params: { modeId } }) => {
    log("mode", modeId);
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => {
    log("cancel");
    cancelled.resolve();
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    cancelled = Promise.withResolvers();
    const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    log("prompt", JSON.stringify(text));
    // After a restart, the session plays the second half of its script.
    const [first = "", second = ""] = text.slice(text.lastIndexOf("SCRIPT") + 6).split("THEN");
    const script = text.includes("started again") ? second : first;
    for (const line of script.split("\n")) {
      const stop = await act(line, sessionId, client);
      if (stop !== undefined) return { stopReason: stop as "end_turn" };
    }
    return { stopReason: "end_turn" };
  })
  .connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );
