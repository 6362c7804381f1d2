import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import type { Journals } from "./causes.ts";
import { provenanceOf } from "./provenance.ts";
import { sentencesOf, traitsOf } from "./sentences.ts";

type Loose = [EventBody["type"], object];

/** Minimal journals for each run. */
function tree(runs: Record<string, Loose[]>): Journals {
  let position = 0;
  return new Map(
    Object.entries(runs).map(([runId, events]) => [
      runId,
      events.map(
        ([type, payload], index) =>
          ({
            runId,
            seq: index + 1,
            position: ++position,
            ts: position,
            type,
            key: "k",
            payload,
          }) as JournalEvent,
      ),
    ]),
  );
}

const runStarted = (agent: string, task: string, parentRunId?: string): Loose => [
  "RUN_STARTED",
  { agent, task, ...(parentRunId === undefined ? {} : { parentRunId }) },
];
const toolCall = (toolName: string, input: object): Loose => [
  "AGENT_THOUGHT",
  { callId: "m1", content: [{ type: "tool-call", toolCallId: "x", toolName, input }] },
];
const toolResult = (output: unknown, more: object = {}): Loose => [
  "TOOL_RESULT",
  { toolCallId: "m1.0", output, ...more },
];
const childCompleted = (child: string, summary: string, more: object = {}): Loose => [
  "CHILD_RUN_COMPLETED",
  { child_run_id: child, summary, result: { summary, warnings: [], suggestions: [] }, ...more },
];
const runCompleted = (summary: string): Loose => ["RUN_COMPLETED", { summary, result: { summary } }];

const placesOf = (journals: Journals, runId: string) =>
  provenanceOf(journals, runId)?.sentences.map(({ sources }) =>
    sources.map(({ path }) => path.map((step) => `${step.runId}#${step.seq}`).join(" ")),
  );

describe("[PV1] a sentence's sources are the texts that share its words", () => {
  const journals = tree({
    r1: [
      runStarted("lead", "How fast is it?"),
      toolCall("Bash", { command: "bench" }),
      toolResult({
        table: ["p50 11.2 ms", "p99 47.3 ms in src/slow.ts"],
        note: "the cold cache was warmed up first",
      }),
      [
        "CONTEXT_ADDED",
        { id: "c", source: "person", from: "maria", text: "Tell Johanna Weiss of Example about it." },
      ],
      runCompleted(
        "The p99 is 47.3 ms. It comes from `src/slow.ts`.\n\n- As I saw, the cold cache was warmed up before.\n- Johanna Weiss should hear of it. Everybody is happy.",
      ),
    ],
  });

  test("numbers, paths, phrases and names are traced to their source, with the shared words and an excerpt", () => {
    expect(placesOf(journals, "r1")).toEqual([
      ["r1#5 r1#3"],
      ["r1#5 r1#3"],
      ["r1#5 r1#3"],
      ["r1#5 r1#4"],
      [],
    ]);
    const [number, path, phrase, name, none] = provenanceOf(journals, "r1")!.sentences;
    expect(number!.sources[0]).toMatchObject({ kind: "tool", shared: ["47.3"], untrusted: [] });
    expect(number!.sources[0]!.excerpt).toContain("p99 47.3 ms in src/slow.ts");
    expect(path!.sources[0]!.shared).toEqual(["src/slow.ts"]);
    expect(phrase!.sources[0]!.shared).toEqual(["the cold cache was warmed up"]);
    expect(name!.sources[0]).toMatchObject({ kind: "message", shared: ["Johanna Weiss"] });
    expect(name!.sources[0]!.path.map(({ what }) => what)).toEqual(["the answer", "a message from maria"]);
    expect(none).toEqual({ text: "Everybody is happy.", sources: [] });
  });

  test("a single name, a small number or common words do not establish a source", () => {
    const one = tree({
      r1: [
        runStarted("lead", "x"),
        toolResult("Johanna had 12 of them, and this is what it was for all"),
        runCompleted("So Johanna said. There are 12 left. It was for all of them."),
      ],
    });
    expect(placesOf(one, "r1")).toEqual([[], [], []]);
  });

  test("an unfinished or unknown run has no provenance", () => {
    expect(provenanceOf(tree({ r1: [runStarted("lead", "x")] }), "r1")).toBeUndefined();
    expect(provenanceOf(new Map(), "r1")).toBeUndefined();
  });
});

describe("[PV2] [PV4] tracing sentences through child runs to untrusted text", () => {
  const page = "https://example.test/report";
  const journals = tree({
    r1: [
      runStarted("lead", "What sold best?"),
      ["CHILD_RUN_STARTED", { child_run_id: "r2" }],
      childCompleted("r2", "Sales of widgets rose by 18.4% last spring.", { untrusted: [page] }),
      ["TOOL_PROPOSED", { toolCallId: "m9.0", name: "Write", input: { path: "a.md" }, effect: "idempotent" }],
      ["TOOL_STARTED", { toolCallId: "m9.0" }],
      runCompleted("Widgets rose by 18.4%. The child was quick about it all."),
    ],
    r2: [
      runStarted("researcher", "Find out whether widgets rose by 18.4%", "r1"),
      ["TOOL_PROPOSED", { toolCallId: "m0.0", name: "Bash", input: { command: "make" }, effect: "unsafe" }],
      ["TOOL_STARTED", { toolCallId: "m0.0" }],
      toolCall("WebFetch", { url: page }),
      toolResult("Growth: widgets 18.4%, gadgets 2%", { untrusted: page }),
      runCompleted("Sales of widgets rose by 18.4% last spring."),
    ],
  });

  test("the source of a sentence is the page itself, not the task that requested the page", () => {
    expect(placesOf(journals, "r1")).toEqual([["r1#6 r1#3 r2#5"], []]);
    const [source] = provenanceOf(journals, "r1")!.sentences[0]!.sources;
    expect(source).toMatchObject({ kind: "tool", shared: ["18.4%"], untrusted: [page] });
    expect(source!.path.map(({ agent, what }) => `${agent}: ${what}`)).toEqual([
      "lead: the answer",
      "lead: researcher's answer",
      `researcher: WebFetch ${page}`,
    ]);
  });

  test("if nothing in the child's run supports a statement, the child's own text is its source", () => {
    const own = tree({
      r1: [
        runStarted("lead", "x"),
        childCompleted("r2", "It costs 1234 euros."),
        runCompleted("It costs 1234 euros."),
      ],
      r2: [runStarted("researcher", "y", "r1"), toolResult("nothing"), runCompleted("It costs 1234 euros.")],
    });
    expect(placesOf(own, "r1")).toEqual([["r1#3 r1#2"]]);
    expect(provenanceOf(own, "r1")!.sentences[0]!.sources[0]!.kind).toBe("child");
  });

  test("only actions that started after untrusted input are listed", () => {
    expect(provenanceOf(journals, "r1")!.effects).toMatchObject([
      { runId: "r1", seq: 5, agent: "lead", what: "Write a.md", untrusted: [page] },
    ]);
  });
});

describe("[PV3] limits of the search", () => {
  test("sentences and sources beyond the limits are counted, but not analysed", () => {
    const long = "word ".repeat(100_000);
    const answer = Array.from({ length: 250 }, (_, index) => `It is number ${index + 1000}.`).join(" ");
    const journals = tree({
      r1: [
        runStarted("lead", "x"),
        ...Array.from({ length: 10 }, () => toolResult(long)),
        runCompleted(answer),
      ],
    });
    const { unread, work, sentences } = provenanceOf(journals, "r1")!;
    expect(sentences).toHaveLength(200);
    expect(unread).toEqual({ sentences: 50, sources: 10 });
    expect(work).toBeLessThan(500_000);
  });

  test("the search terminates for every text, and every word it reports as shared occurs in the sentence", () => {
    const words = fc.array(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom(
          "47.3",
          "src/a.ts",
          "`x`",
          '"',
          "\n",
          ". ",
          "- ",
          "https://x.test/?a=b#c",
          "the cold cache",
        ),
      ),
      { maxLength: 15 },
    );
    const text = words.map((parts) => parts.join(" "));
    fc.assert(
      fc.property(text, text, text, (task, output, answer) => {
        const journals = tree({
          r1: [
            runStarted("lead", task),
            toolResult(output),
            childCompleted("r1", output),
            runCompleted(answer),
          ],
        });
        const found = provenanceOf(journals, "r1")!;
        const room = task.length + 2 * output.length;
        expect(found.work).toBeLessThanOrEqual(room);
        for (const { text: sentence, sources } of found.sentences)
          for (const { shared, excerpt } of sources) {
            expect(shared.length).toBeGreaterThan(0);
            for (const one of shared) expect(sentence).toContain(one);
            expect(excerpt.length).toBeLessThan(400);
          }
      }),
      { numRuns: 50 },
    );
  });

  test("Markdown prefixes are removed, and only words that rarely match by chance are compared", () => {
    expect(sentencesOf("# Head\n\n1. One. Two!\n> - *x* e.g. this\n```ts\nlet a = 1;\n```\n---\n")).toEqual([
      "Head",
      "One.",
      "Two!",
      "*x* e.g. this",
      "let a = 1;",
    ]);
    const strong = traitsOf("See parseTree in lib/tree.py, 1,024 of “big ones” and CVE-2024-1 now.")
      .filter(({ weight }) => weight === "strong")
      .map(({ key }) => key);
    expect(strong).toEqual(["parsetree", "lib/tree.py", "1,024", "cve-2024-1", "big ones"]);
  });
});
