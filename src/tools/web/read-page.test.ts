import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { nestingDepth, toMarkdown } from "./html-to-markdown.ts";
import { readPage } from "./read-page.ts";

const read = (html: string, signal = new AbortController().signal) =>
  readPage(
    {
      bytes: Buffer.from(html),
      kind: "html",
      type: "text/html",
      url: "https://example.com/",
      offset: 0,
      limit: 100,
    },
    signal,
  );

describe("[A44] pages that are expensive to parse", () => {
  it.each([
    ["100,000 nested elements", "<div>".repeat(100_000)],
    ["5 MB of <", "<".repeat(5_000_000)],
    ["spaces before a letter", `<pre>${" ".repeat(2_000_000)}b</pre>`],
    ["a million attributes", `<p ${"a=1 ".repeat(1_000_000)}>x`],
    ["formatting that is never closed", `${"<b><i>".repeat(10_000)}x`],
    ["deeply nested lists", "<ol><li>".repeat(2_000)],
  ])("%s: reading the page does not block the event loop", async (_, html) => {
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const answer = await read(html);
    lag.disable();
    if (!answer.ok) expect(answer.why).toMatch(/cannot be turned into text within bounds; nothing was read/);
    // The limit is 200 ms on an idle machine. The test allows ten times as much, because the machine might be busy.
    expect(lag.max / 1e6).toBeLessThan(2_000);
  });

  it("a page that is nested too deeply is not parsed", async () => {
    expect(() => toMarkdown("<div>".repeat(100_000), "https://example.com/")).toThrow("in each other");
    expect(await read(`${"<div>".repeat(5_001)}x`)).toMatchObject({ ok: false });
    expect(await read(`${"<div>".repeat(1_000)}x`)).toMatchObject({ ok: true, page: { text: "x" } });
  });

  it.each([
    ["rows and list items without end tags", "<li>a<p>b<tr><td>c".repeat(3_000)],
    ["self-closing elements", `<svg>${"<path d='M0 0'/>".repeat(10_000)}</svg>x`],
    ["closed elements", "<div><b>a</b></div>".repeat(10_000)],
    ["end tags without start tags", "</div>".repeat(10_000)],
    ["an unfinished tag", `${"<div ".repeat(10_000)}`],
  ])("the nesting depth does not grow with repeated %s", (_, html) => {
    expect(nestingDepth(html)).toBeLessThan(5);
  });

  it("cancelling a call stops reading the page", async () => {
    const stop = new AbortController();
    const reading = read("<div>".repeat(100_000), stop.signal);
    const from = performance.now();
    stop.abort();
    expect(await reading).toEqual({ ok: false, why: "Cancelled before the page was read." });
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});

describe("Markdown", () => {
  const text = (html: string) => toMarkdown(html, "https://example.com/a/b").text;

  it.each([
    ["<p>a<p>b", "a\n\nb"],
    ["a<br>b <b>c</b>, <i> d </i>e <code>f_g</code>", "a\nb **c**, *d* e `f_g`"],
    ["<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>", "- a\n  - b\n- c"],
    ["<ol><li>a</li><li>b<p>c</p></li></ol>", "1. a\n2. b\n   c"],
    ["<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["<h2>a\n <a href=c>b</a></h2>", "## a [b](https://example.com/a/c)"],
    ["<a href='x'><div><h3>card</h3><p>text</p></div></a>", "[### card text](https://example.com/a/x)"],
    ["<a href='x'><img alt='logo'></a><a href='y'> </a>", "[[image: logo]](https://example.com/a/x)"],
    [
      "<a href='data:x'>a</a> <a href='JaVaScRiPt:x'>b</a> <a href='/(c)'>c</a>",
      "a b [c](https://example.com/%28c%29)",
    ],
    ["<pre>a ``` b</pre>", "````\na ``` b\n````"],
    ["<table><tr><td>a<br>b<td>c</table>", "| a b | c |"],
    ["<svg><title>no</title></svg><hr><frameset>", "---"],
    ["a&nbsp;b &amp; &lt;c&gt;", "a b & <c>"],
    ["", ""],
  ])("%j is converted to Markdown", (html, markdown) => {
    expect(text(html)).toBe(markdown);
  });

  it("relative links are resolved against the page's base element if that is a web address", () => {
    expect(text("<base href='/z/'><a href='x'>a</a>")).toBe("[a](https://example.com/z/x)");
    expect(text("<base href='javascript:x'><a href='x'>a</a>")).toBe("[a](https://example.com/a/x)");
  });
});
