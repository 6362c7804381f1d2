// docs/api.md, made from the description: the page cannot say what the server does not do.

import type { OpenApi, Operation } from "./openapi.ts";

export function apiDocs(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0]!);
  return [
    INTRODUCTION,
    ...[...groups].flatMap(([tag, all]) => [
      `## ${tag}\n`,
      "| Route | What | Takes | Answers |",
      "| --- | --- | --- | --- |",
      ...all.map(row),
      "",
    ]),
  ].join("\n");
}

function row({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const query = operation.parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const headers = operation.parameters.filter((each) => each.in === "header").map(({ name }) => name);
  const body = operation.requestBody?.content["application/json"]?.schema;
  const takes = [
    ...(query.length > 0 ? [`\`?${query.join("&")}\``] : []),
    ...(body && nameOf(body) !== "EmptyBody" ? [`\`${nameOf(body)}\``] : []),
    ...headers.map((name) => `\`${name}\``),
  ];
  return `| \`${method.toUpperCase()} ${path}\` | ${operation.summary} | ${takes.join(", ")} | ${answersOf(operation)} |`;
}

function answersOf({ responses }: Operation): string {
  const [status, { content = {} }] = Object.entries(responses).find(([each]) => each.startsWith("20"))!;
  const forms = Object.entries(content).map(([type, { schema }]) =>
    type === "application/json" ? `\`${nameOf(schema)}\`` : type,
  );
  return `${status} ${forms.join(" or ")}`;
}

/** The name of a schema; of one that has none, its fields. */
function nameOf({ $ref, properties = {} }: { $ref?: string; properties?: object }): string {
  return $ref?.split("/").at(-1) ?? `{${Object.keys(properties).join(", ")}}`;
}

const INTRODUCTION = `# The HTTP API

<!-- Made from the code: \`npx vitest run src/api/openapi.test.ts -u\` writes it anew. -->

\`cadre up\` serves it at http://127.0.0.1:4470. There \`/docs\` shows every schema that is named here, and \`/openapi.json\` (OpenAPI 3.1)
has them for programs. Every route wants the token, but \`/healthz\` (200 or 503, and nothing more) and the one-time link for a browser:

    curl -H "Authorization: Bearer $(cat .cadre/token)" http://127.0.0.1:4470/api/runs

- **Requests are strict.** JSON only (415; a POST with the token and no body at all is taken as \`{}\`), at most 4 MB (413; a tree that is imported 256 MB) and 100 levels deep; a word that is not known is a 400 that names it.
- **Errors** are \`{"error": {"code", "message", "details"}}\`: a stable code, and one sentence that says whether anything was changed. The
  routes below \`/runs\` answer \`{"error": "…"}\`, as the programs that use them expect.
- **Slashes** in an approval's id (\`r1…:budget/1\`) or an agent's name (\`ops/coding\`) may stand as they are, or as \`%2F\`.
- **Lists** come newest first, in pages: give \`nextCursor\` back as \`cursor\`. \`q\` finds runs by words in what was asked, said and made: all of them,
  each as a word or as the beginning of one.
- **Asking again.** With \`If-None-Match\` the answer is 304 while nothing has changed. With an \`Idempotency-Key\` a request that is sent
  twice happens once; the same key for another request is a 422.
- **Streams** are server-sent events. \`Last-Event-ID\` goes on where a reader stopped; a slow one is cut off with \`resync\`.
`;
