// Serves the description of the API, for programs and for people.
// The description is created at the first request, because most processes never get such a request.

import { z } from "zod";
import type { ApiParts } from "../parts.ts";
import { DOCS_STYLE, docsPage } from "../views/docs-page.ts";
import { describeApi, type OpenApi } from "../views/openapi.ts";
import { type Route, route } from "./route.ts";

/** The routes that serve the description are not part of the description. */
export function apiDocsRoutes(routes: readonly Route[], { info }: Pick<ApiParts, "info">) {
  let cached: OpenApi | undefined;
  const document = (): OpenApi => {
    cached ??= describeApi(routes, info.version);
    return cached;
  };
  return [
    route.get("/openapi.json", { summary: "This description", answer: z.unknown() }, document),
    route.get("/docs", { summary: "The same for people", answer: z.string() }, () =>
      text(docsPage(document()), "text/html"),
    ),
    route.get("/docs/style.css", { summary: "How it looks", answer: z.string() }, () =>
      text(DOCS_STYLE, "text/css"),
    ),
  ];
}

const text = (body: string, type: string): Response =>
  new Response(body, {
    headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "no-cache" },
  });
