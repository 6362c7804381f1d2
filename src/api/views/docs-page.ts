// Renders the API's description as a web page.
// The page has no script and loads nothing from other sites, so that the strictest security policy allows it.

import { escapeHtml } from "./escape-html.ts";
import type { Answer, JsonSchema, OpenApi, Operation, Parameter } from "./openapi.ts";

export function docsPage(document: OpenApi): string {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0]!);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)} API ${escapeHtml(info.version)}</title>
<link rel="stylesheet" href="/docs/style.css">
<h1>${escapeHtml(info.title)} API <small>${escapeHtml(info.version)}</small></h1>
<p>${escapeHtml(info.description)} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<nav>${[...groups.keys(), "schemas"].map((tag) => `<a href="#${tag}">${tag}</a>`).join(" ")}</nav>
${[...groups].map(([tag, all]) => `<h2 id="${tag}">${tag}</h2>\n${all.map(section).join("\n")}`).join("\n")}
<h2 id="schemas">schemas</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => `<details id="${name}"><summary>${name}</summary>${code(schema)}</details>`)
  .join("\n")}
</html>
`;
}

function section({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}): string {
  const { summary, operationId, parameters, requestBody, responses } = operation;
  return `<details id="${operationId}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${parameters.length > 0 ? `<table><tr><th>parameter<th>in<th>form<th></tr>${parameters.map(parameterRow).join("")}</table>` : ""}
${requestBody ? `<h3>takes</h3>${contentOf(requestBody.content)}` : ""}
${Object.entries(responses).map(answerOf).join("\n")}
</details>`;
}

const parameterRow = ({ name, in: place, required, schema, description = "" }: Parameter): string =>
  `<tr><td><code>${name}</code>${required ? " *" : ""}<td>${place}<td><code>${escapeHtml(formOf(schema))}</code><td>${escapeHtml(description)}</tr>`;

function answerOf([status, { description, content = {} }]: [string, Answer]): string {
  return `<h3>${status}</h3><p>${escapeHtml(description)}</p>${contentOf(content)}`;
}

const contentOf = (content: NonNullable<Answer["content"]>): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `<p><code>${type}</code> ${linkOf(schema) ?? code(schema)}</p>`)
    .join("");

function linkOf({ $ref }: JsonSchema): string | undefined {
  const name = $ref?.split("/").at(-1);
  return name === undefined ? undefined : `<a href="#${name}">${name}</a>`;
}

const code = (schema: JsonSchema): string =>
  `<pre>${escapeHtml(JSON.stringify(schema, null, 2)).replaceAll(
    /#\/components\/schemas\/(\w+)/g,
    '<a href="#$1">$1</a>',
  )}</pre>`;

function formOf({ enum: values, pattern, type, anyOf }: JsonSchema): string {
  if (values) return values.join(" | ");
  if (pattern !== undefined) return pattern;
  if (type !== undefined) return [type].flat().join(" | ");
  return anyOf?.map((each) => formOf(each as JsonSchema)).join(" | ") ?? "any";
}

export const DOCS_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
small, nav { opacity: 0.8; }
nav a { margin-right: 0.8rem; }
details { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
.get { color: light-dark(#0a6640, #6ee7b7); }
.post { color: light-dark(#1d4ed8, #93c5fd); }
.delete { color: light-dark(#b91c1c, #fca5a5); }
pre { overflow: auto; padding: 0.8rem; background: color-mix(in srgb, currentColor 8%, transparent); }
th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
`;
