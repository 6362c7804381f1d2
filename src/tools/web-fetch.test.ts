import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { html, type Internet, internet } from "../../test/support/internet.ts";
import { tempWorkspace } from "./temp-workspace.fixture.ts";
import { webFetchTool } from "./web-fetch.ts";

async function fetched(net: Internet, url: string, more: { offset?: number } = {}) {
  await using folder = await tempWorkspace();
  return await webFetchTool(net.access()).execute({ url, ...more }, folder.context());
}

const answers =
  (status: number, headers: Record<string, string>, body: string | Buffer = "") =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, headers).end(body);

const PAGE = `<!doctype html><html><head><title> A  page </title><base href="/docs/"><style>p{}</style></head>
<body><nav>menu</nav><h1>max_bytes</h1><p>Read <a href="more?x=1">this</a>, <a href="javascript:alert(1)">not that</a>.
<img src="/cat.png" alt="a cat"></p><pre><span>a</span>\n  b</pre>
<table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>x</td><td>1</td></tr></tbody></table>
<script>steal()</script></body></html>`;

describe("WebFetch", () => {
  it("[S1-28] [S1-30] reads a page as Markdown, inside a mark, with absolute links", async () => {
    await using net = await internet({ "example.com": html(PAGE) });
    expect(await fetched(net, "https://example.com/docs/")).toEqual({
      output: `https://example.com answered 200. 141 characters.
<untrusted-n0nce source="https://example.com">
url: https://example.com/docs/
title: A page

# max_bytes

Read [this](https://example.com/docs/more?x=1), not that. [image: a cat]

\`\`\`
a
  b
\`\`\`

| Name | Size |
| --- | --- |
| x | 1 |
</untrusted-n0nce>`,
      untrusted: "https://example.com",
    });
  });

  it("says who it is and nothing else: no cookies, no key", async () => {
    await using net = await internet({
      "example.com": answers(200, { "Content-Type": "text/plain", "Set-Cookie": "id=1" }, "a"),
    });
    await fetched(net, "http://example.com/a");
    await fetched(net, "http://example.com/b");
    const sent = net.requests.map(({ headers }) => Object.keys(headers).sort().join(" "));
    expect(new Set(sent)).toEqual(new Set(["accept accept-encoding connection host user-agent"]));
    expect(net.requests[0]!.headers["user-agent"]).toMatch(/^Cadre\/\d+\.\d+\.\d+$/);
  });
});
