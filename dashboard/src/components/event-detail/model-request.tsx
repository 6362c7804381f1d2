// The exact request of a model call: system prompt, tools and messages, with what the provider read from its cache.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ModelRequest as Request } from "../../../../src/api/client/types.ts";
import { groupDigits, plural, shortCount } from "../../../../src/projections/words/format.ts";
import { JsonView } from "../../display/json-view.tsx";
import { Loaded } from "../../display/page-state.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { requestQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Details } from "../../ui/details.tsx";
import { type CacheMark, cacheMarks } from "./cache-marks.ts";
import { PROMPT_ROLES, type PromptPart, PromptPartView, partLength } from "./prompt-part.tsx";

export function ModelRequest({ runId, seq }: { runId: string; seq: number }) {
  const request = useQuery(requestQuery(runId, seq));
  return (
    <Loaded query={request} what="Loading the request">
      {(data) => <Sent request={data} />}
    </Loaded>
  );
}

function Sent({ request }: { request: Request }) {
  const { model, purpose, attempt, system, tools, toolChoice, messages, settings } = request;
  const marks = cacheMarks(request);
  const about = [
    model,
    ...(purpose === "turn" ? [] : [purpose === "final" ? "last turn" : purpose]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(toolChoice === undefined
      ? []
      : [toolChoice === "none" ? "no tools allowed" : `must call ${toolChoice}`]),
    ...Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ];
  return (
    <div className="mt-2 flex flex-col gap-2 text-sm">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
        <VisibleText text={about.join(" · ")} />
        <Fidelity differs={request.differs} />
        <CopyButton text={JSON.stringify(request, null, 2)} label="Copy the request" />
      </p>
      <CacheLine request={request} />
      <Part title="System prompt" note={`${shortCount(system.length)} characters`} mark={marks.system}>
        {() => <Ansi text={system} />}
      </Part>
      <Part title="Tools" note={String(tools.length)} mark={marks.tools}>
        {() => (
          <ul className="flex flex-col gap-1">
            {tools.map(({ name, description = "", inputSchema }) => (
              <li key={name}>
                <Details
                  className="py-1 hover:bg-raised"
                  summary={
                    <>
                      <span className="font-medium font-mono text-xs">
                        <VisibleText text={name} />
                      </span>{" "}
                      <span className="text-muted text-xs">
                        <VisibleText text={description.slice(0, 80)} />
                      </span>
                    </>
                  }
                >
                  {() => (
                    <div className="pl-4">
                      <Ansi text={description} />
                      <JsonView value={inputSchema} />
                    </div>
                  )}
                </Details>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Messages messages={messages} marks={marks.messages} />
    </div>
  );
}

/** Says whether the request is exactly what was sent. */
function Fidelity({ differs }: Pick<Request, "differs">) {
  if (differs === undefined) return null;
  if (differs.length === 0)
    return (
      <span title="The journal has a fingerprint of the request, and this request has the same one.">
        <Badge tone="good">exactly as sent</Badge>
      </span>
    );
  return (
    <span title="The fingerprint in the journal differs. A tool or a setting has changed since.">
      <Badge tone="warn">the {differs.join(" and the ")} changed since</Badge>
    </span>
  );
}

function CacheLine({ request: { usage, brokeCache } }: { request: Request }) {
  if (usage === undefined) return null;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const share = input === 0 ? 0 : Math.round((100 * cacheRead) / input);
  return (
    <p className="text-muted text-xs tabular-nums">
      {groupDigits(input)} tokens read, {groupDigits(cacheRead)} of them from the provider’s cache ({share} %)
      {cacheWrite > 0 && `, ${groupDigits(cacheWrite)} written to it`}; {plural(output, "token")} answered.
      {brokeCache !== undefined &&
        ` The cache could be used only up to the ${brokeCache}, which changed since the turn before.`}
    </p>
  );
}

const MARKS: Record<CacheMark, ReactNode> = {
  cached: <Badge tone="good">cached</Badge>,
  partly: <Badge tone="info">partly cached</Badge>,
  new: <Badge tone="muted">not cached</Badge>,
};

interface PartProps {
  title: string;
  note: string;
  mark: CacheMark | undefined;
  isOpen?: boolean;
  children(): ReactNode;
}

function Part({ title, note, mark, isOpen = false, children }: PartProps) {
  return (
    <Details
      isOpen={isOpen}
      className="min-h-6 font-medium hover:bg-raised max-md:py-2"
      summary={
        <>
          {title} <span className="font-normal text-muted text-xs">{note}</span> {mark && MARKS[mark]}
        </>
      }
    >
      {() => <div className="pt-1 pb-2 pl-3">{children()}</div>}
    </Details>
  );
}

/** At first, only the latest messages are listed. */
const LISTED = 20;

interface MessagesProps {
  messages: Request["messages"];
  marks: readonly (CacheMark | undefined)[];
}

/** The messages. Those after the model's previous answer are open, because they are new in this call. */
function Messages({ messages, marks }: MessagesProps) {
  const [all, setAll] = useState(false);
  const from = all ? 0 : Math.max(0, messages.length - LISTED);
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return (
    <section aria-label="Messages">
      <h3 className="font-medium">
        Messages <span className="font-normal text-muted text-xs">{messages.length}</span>
      </h3>
      {from > 0 && (
        <Button look="quiet" size="small" className="-ml-2" onClick={() => setAll(true)}>
          Show {plural(from, "earlier message")}
        </Button>
      )}
      <ol className="mt-1 flex flex-col gap-1">
        {messages.slice(from).map(({ role, content }, index) => {
          const at = from + index;
          const parts = content as PromptPart[];
          return (
            <li key={at} className="rounded-md border border-line px-2 py-1">
              <Details
                isOpen={at > lastAnswer}
                className="min-h-6"
                summary={
                  <>
                    <Badge tone={PROMPT_ROLES[role]}>{role}</Badge>{" "}
                    <span className="text-muted text-xs">
                      <VisibleText text={summaryOf(parts)} />
                    </span>{" "}
                    {marks[at] && MARKS[marks[at]]}
                  </>
                }
              >
                {() => (
                  <div className="flex flex-col gap-2 pt-1">
                    {parts.map((part, n) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change
                      <div key={n}>
                        {part.toolName !== undefined && (
                          <p className="font-medium font-mono text-xs">
                            <VisibleText text={part.toolName} />
                          </p>
                        )}
                        <PromptPartView part={part} />
                      </div>
                    ))}
                  </div>
                )}
              </Details>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The tools that a message calls or answers, and the message's length. */
function summaryOf(parts: readonly PromptPart[]): string {
  const tools = [...new Set(parts.flatMap(({ toolName }) => toolName ?? []))];
  const length = parts.reduce((sum, part) => sum + partLength(part), 0);
  return [...tools, `${shortCount(length)} characters`].join(" · ");
}
