// A server with the tools, resources and prompts that the conformance suite expects by name.
// Cadre's own server does not offer these tools. The authentication, routes and handler are the same as in Cadre's server.

import { completable, createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { z } from "zod";
import { createAccessKeys } from "../../src/api/access/keys.ts";
import { noUsers } from "../../src/api/fixtures/public-server.fixture.ts";
import { mcpOverHttp } from "../../src/api/mcp/routes.ts";
import { addErrorHandlers } from "../../src/api/server/app.ts";
import { door } from "../../src/api/server/door.ts";
import { shapesOnly } from "../../src/journal/masking/mask.fixture.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const resourceContent = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "This is an embedded resource content." },
});

export function fixtureApp(token: string): Hono {
  const app = new Hono();
  app.use(
    door({
      ...{ keys: createAccessKeys(token), visitors: noUsers, names: [], exposed: false, cookie: "fixture" },
      isPageFile: () => false,
    }),
  );
  for (const { method, path, handle } of mcpOverHttp(async () => createMcpHandler(fixtureServer)))
    app.on(method.toUpperCase(), path, handle);
  return addErrorHandlers(app, { onProblem: () => {}, people: { mask: shapesOnly() } as never });
}

function fixtureServer(): McpServer {
  const server = new McpServer({ name: "fixture", version: "1" }, { capabilities: { logging: {} } });
  addTools(server);
  addTalkingTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  const plain = (name: string, content: unknown[]) =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, () => ({ content }) as never);
  plain("test_simple_text", [text("This is a simple text response for testing.")]);
  plain("test_image_content", [image]);
  plain("test_audio_content", [{ type: "audio", data: WAV, mimeType: "audio/wav" }]);
  plain("test_embedded_resource", [resourceContent("test://embedded-resource")]);
  plain("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    {
      type: "resource",
      resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: "{}" },
    },
  ]);
  server.registerTool("test_error_handling", { description: "Fails.", inputSchema: z.object({}) }, () => ({
    content: [text("This tool intentionally returns an error for testing")],
    isError: true,
  }));
  const address = z
    .object({ street: z.string().optional(), city: z.string().optional() })
    .meta({ id: "address" });
  server.registerTool(
    "json_schema_2020_12_tool",
    {
      description: "Has a schema with definitions.",
      inputSchema: z.strictObject({ name: z.string().optional(), address: address.optional() }),
    },
    () => ({ content: [text("fits")] }),
  );
}

/** Tools that send notifications or requests to the client before they answer. */
function addTalkingTools(server: McpServer): void {
  const quiet = { inputSchema: z.object({}) };
  server.registerTool("test_tool_with_logging", { description: "Logs.", ...quiet }, async (_, { mcpReq }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
      await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
    return { content: [text("logged")] };
  });
  server.registerTool(
    "test_tool_with_progress",
    { description: "Tells how far it is.", ...quiet },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100])
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
      return { content: [text("done")] };
    },
  );
}

function addResources(server: McpServer): void {
  const about = { mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", about, ({ href }) => ({
    contents: [{ uri: href, ...about, text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = (...content: unknown[]) =>
    ({ messages: content.map((each) => ({ role: "user", content: each })) }) as never;
  server.registerPrompt("test_simple_prompt", { description: "Simple." }, () =>
    user(text("This is a simple prompt for testing.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "Takes two.",
      argsSchema: z.object({ arg1: completable(z.string(), () => ["test"]), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Has a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      user(resourceContent(resourceUri), text("Please process the embedded resource above.")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Has an image." }, () =>
    user(image, text("Please analyze the image above.")),
  );
}
