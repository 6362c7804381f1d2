// Google's Gemini API: what it rejects, how it caches, and how it streams.

import { prefixCache } from "./caches.ts";
import {
  type Answer,
  type Body,
  type Frame,
  type PrefixPart,
  type Protocol,
  type ProtocolOptions,
  pieces,
  prefixOf,
  type Rejection,
  type StreamContext,
  textIn,
  waitOf,
} from "./protocol.ts";

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { name: string; args?: unknown; id?: string };
  functionResponse?: { name: string; response?: unknown; id?: string };
}

interface Content {
  role: "user" | "model";
  parts: Part[];
}

interface Request extends Body {
  contents: Content[];
  systemInstruction?: { parts: Part[] };
  tools?: { functionDeclarations?: { name: string }[] }[];
}

export function googleProtocol({ newId }: ProtocolOptions): Protocol {
  const count = prefixCache();
  const prefix = (body: Body): PrefixPart[] => {
    const { tools = [], systemInstruction, contents } = body as Request;
    const parts = contents.flatMap(({ role, parts }, at) =>
      parts.map((part) => ({ where: `message ${at}`, text: JSON.stringify({ role, part }) })),
    );
    return [...prefixOf(tools, systemInstruction ?? "", []), ...parts];
  };
  return {
    name: "google",
    handles: (path) => path.endsWith(":streamGenerateContent"),
    modelOf: (_, path) => /models\/([^:]+)/.exec(path)?.[1] ?? "",
    read(body) {
      const { contents, systemInstruction, tools = [] } = body as Request;
      const texts = contents.filter(isUserText).map(({ parts }) => textIn(parts));
      const responses = contents.flatMap(({ parts }) =>
        parts.flatMap(({ functionResponse }) => functionResponse ?? []),
      );
      return {
        system: textIn(systemInstruction?.parts),
        turn: contents.filter(({ role }) => role === "model").length + 1,
        first: texts[0] ?? "",
        last: texts.at(-1) ?? "",
        results: responses.map(({ response }) => resultText(response)),
        tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      };
    },
    rejections: (body, model) => rejections(body as Request, model),
    errorBody: ({ status, message }) => ({ error: { code: status, message, status: "INVALID_ARGUMENT" } }),
    count: (body, model) => count(model, prefix(body)),
    stream: (answer, context) => stream(answer, context, newId),
    prefix,
  };
}

const isUserText = ({ role, parts }: Content): boolean =>
  role === "user" && parts.some(({ text }) => text !== undefined);

/** The text of a result, which Google's package has wrapped in an object. */
function resultText(response: unknown): string {
  const { content } = (response ?? {}) as { content?: unknown };
  return typeof content === "string" ? content : JSON.stringify(content ?? response);
}

function rejections({ contents }: Request, model: string): Rejection[] {
  const found: string[] = [];
  const lastText = contents.findLastIndex(isUserText);
  contents.forEach(({ role, parts }, at) => {
    if (parts.length === 0) found.push(`contents[${at}].parts: must not be empty`);
    const responses = parts.filter(({ functionResponse }) => functionResponse);
    const before = contents[at - 1];
    const asked = (before?.role === "model" ? before.parts : []).filter(({ functionCall }) => functionCall);
    if (role === "user" && responses.length !== asked.length)
      found.push(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    for (const { functionResponse } of responses)
      if (typeof functionResponse!.response !== "object")
        found.push(`contents[${at}].parts: function_response.response must be an object`);
    if (role !== "model") return;
    const calls = parts.filter(({ functionCall }) => functionCall);
    const isAfterUser = before?.role === "user";
    if (calls.length > 0 && !isAfterUser)
      found.push(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    const isCurrent = at > lastText;
    if (/gemini-3/.test(model) && isCurrent && calls[0] && !calls[0].thoughtSignature)
      found.push(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call \`${calls[0].functionCall!.name}\`, position ${at}.`,
      );
  });
  if (contents.at(-1)?.role === "model")
    found.push("Please ensure that the conversation ends with a user turn.");
  return found.map((message) => ({ status: 400, message }));
}

function* stream(
  { parts = [], stop }: Answer,
  { model, usage }: StreamContext,
  newId: ProtocolOptions["newId"],
): Iterable<Frame> {
  const total = usage.input + usage.cacheRead;
  const usageMetadata = {
    ...{ promptTokenCount: total, candidatesTokenCount: usage.output, totalTokenCount: total + usage.output },
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(usage.reasoning === undefined ? {} : { thoughtsTokenCount: usage.reasoning }),
  };
  const responseId = newId("");
  const chunk = (part: Part, more: object = {}): Frame => ({
    data: {
      candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...more }],
      ...{ usageMetadata, modelVersion: model, responseId },
    },
  });
  let hasCalled = false;
  for (const part of parts) {
    const wait = waitOf(part, {});
    if (wait) yield* wait;
    else if ("thinking" in part) yield chunk({ text: part.thinking, thought: true });
    else if ("text" in part) {
      for (const text of pieces(part.text)) yield chunk({ text });
      if (part.signature) yield chunk({ text: "", thoughtSignature: part.signature });
    } else if ("call" in part) {
      // Only the first of several parallel calls has a signature.
      const signature = hasCalled
        ? {}
        : { thoughtSignature: Buffer.from(`thought:${part.call}`).toString("base64") };
      const id = part.id === undefined ? {} : { id: part.id };
      const asked = chunk({ functionCall: { name: part.call, args: part.input ?? {}, ...id }, ...signature });
      yield part.raw === undefined
        ? asked
        : { ...asked, data: JSON.stringify(asked.data).replace('"args":{}', `"args":${part.raw}`) };
      hasCalled = true;
    }
  }
  yield chunk({ text: "" }, { finishReason: stop ?? "STOP" });
}
