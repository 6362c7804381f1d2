// U47: renders error pages for people. A page says what happened, that nothing is lost, and what to do.
// Only requests that accept HTML get such a page. Programs get JSON (http-errors.ts).

import type { Context } from "hono";
import { escapeHtml } from "../views/escape-html.ts";

/** The command that prints a sign-in link, and where to run it. */
export interface SignInHint {
  command: string;
  where: string;
}

export type RefusalPage = (c: Context, status: number, message: string) => Response | undefined;

/** Creates a function that renders error pages. The function returns undefined for requests that do not accept HTML. */
export function createRefusalPage(wayIn: SignInHint): RefusalPage {
  const words = wordsFor(wayIn);
  return (c, status, message) => {
    if (c.req.method !== "GET" || !c.req.header("Accept")?.includes("text/html")) return undefined;
    const { title, text, help } = words[status] ?? { title: "This did not work", text: message, help: "" };
    const nonce = (c.get("secureHeadersNonce") as string | undefined) ?? "";
    c.header("Cache-Control", "no-store");
    return c.html(
      `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Cadre</title>
<style nonce="${escapeHtml(nonce)}">${STYLE}</style>
<main>
<p class="name">Cadre</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${help}
</main>
</html>
`,
      status as 404,
    ) as Response;
  };
}

const SAFE = "Nothing is lost: what was recorded is safe, and runs go on without a browser.";

function wordsFor({
  command,
  where,
}: SignInHint): Record<number, { title: string; text: string; help: string }> {
  const up = `<p><code>${escapeHtml(command)}</code></p>`;
  return {
    401: {
      title: "This browser is not signed in",
      text: `${SAFE} Run this ${where}; it prints a link for one browser:`,
      // If a person follows a link on another site, the browser sends no `SameSite=Strict` cookie. If the person then clicks the link on this page, the browser does send it.
      help: `${up}<p class="quiet">Came here by a link from elsewhere, and signed in before? <a href="">Open this page again</a></p>`,
    },
    404: {
      title: "There is no such page",
      text: "Nothing is lost: runs are found by their ids, in the list of all runs.",
      help: '<p><a href="/">All runs</a></p>',
    },
    410: {
      title: "This link was used already, or is too old",
      text: `A link lets one browser in, once, within ten minutes. ${SAFE} Run this ${where}; it prints a new one:`,
      help: `${up}<p class="quiet">Signed in with this browser? <a href="/">Go to the runs</a></p>`,
    },
  };
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f7f7f8,#0d0e11);color:light-dark(#17191e,#eceef2);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{box-sizing:border-box;width:min(30rem,100vw - 2rem);padding:1.75rem;background:light-dark(#fff,#15171b);border:1px solid light-dark(#e2e4e8,#2a2e35);border-radius:.75rem}
h1{margin:.25rem 0 .75rem;font-size:1.25rem;line-height:1.3}
p{margin:.75rem 0 0}
.name{margin:0;font-weight:600;color:light-dark(#4338ca,#a5b0ff)}
.quiet{font-size:.875rem;color:light-dark(#565c68,#a3aab8)}
code{display:inline-block;overflow-wrap:anywhere;user-select:all;padding:.375rem .625rem;border:1px solid light-dark(#e2e4e8,#2a2e35);border-radius:.375rem;background:light-dark(#f0f1f3,#1d2025);font:13px ui-monospace,Menlo,Consolas,monospace}
a{color:light-dark(#4338ca,#a5b0ff)}`;
