import { ClipboardList, Cog, MessageSquareText, User } from "lucide-react";
import type { IncomingMessage } from "../../../../src/projections/views/conversation.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { When } from "../../display/time/when.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";

/** A message to the agent, with its sender. */
export function IncomingMessageRow({ heard, selected }: { heard: IncomingMessage; selected: boolean }) {
  const { source, from, text, ts, untrusted } = heard;
  const [Icon, who] = WHO[source];
  return (
    <article
      data-seq={heard.seq}
      className={classNames(
        "ml-auto w-fit min-w-48 max-w-[92%] rounded-lg bg-accent-soft px-3 py-2 md:max-w-[80%]",
        selected && "ring-2 ring-accent",
      )}
    >
      <p className="flex flex-wrap items-center gap-x-2 pb-1 text-muted text-xs">
        <Icon size={13} aria-hidden />
        <span>
          {who}
          {from !== undefined && (
            <>
              {" "}
              · <VisibleText text={from} />
            </>
          )}
        </span>
        <When ts={ts} />
        {untrusted.length > 0 && (
          <Badge tone="warn" title={untrusted.join(", ")}>
            contains untrusted content
          </Badge>
        )}
      </p>
      <Markdown text={text} />
    </article>
  );
}

const WHO: Record<IncomingMessage["source"], [icon: typeof User, words: string]> = {
  task: [ClipboardList, "Task"],
  person: [User, "Person"],
  parent: [MessageSquareText, "Parent run"],
  agent: [MessageSquareText, "Another agent"],
  advice: [MessageSquareText, "Advisor"],
  team: [MessageSquareText, "Team"],
  steps: [Cog, "Steps module"],
  system: [Cog, "Cadre"],
};
