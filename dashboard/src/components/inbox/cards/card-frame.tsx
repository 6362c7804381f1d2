// The layout of every card: who asks for what, the request itself, its context, and the answers. The answers stay at
// the bottom, always in reach and never over the text.

import { Link } from "@tanstack/react-router";
import { ArrowLeft, ChevronRight, ShieldAlert } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { ITEM_HEADLINES } from "../../../../../src/projections/words/decisions.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { useRefusal } from "../../../live/me.ts";
import type { Decision } from "../decision/use-decide.ts";
import { ExpiryBadge, WaitingBadge } from "../list/wait-badges.tsx";
import { AskedPerson, AskPerson } from "./ask-person.tsx";
import { CardContext } from "./card-context.tsx";
import { findDangers } from "./dangers.ts";

export interface CardFrameProps {
  item: ApprovalView;
  /** Moves the keyboard focus here, because the user has just answered the previous card. */
  takesFocus: boolean;
  /** The request. */
  children: ReactNode;
  answers: ReactNode;
}

export function CardFrame({ item, takesFocus, children, answers }: CardFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const dangers = findDangers(item);
  const refusal = useRefusal("operator");
  return (
    <article aria-labelledby="asked" className="flex min-h-0 flex-1 flex-col bg-surface">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <section aria-label="Request" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex max-w-4xl flex-col gap-4 p-4">
          <header className="flex flex-col gap-2">
            <Link to="/inbox" className="flex items-center gap-1 py-2 text-accent text-sm md:hidden">
              <ArrowLeft size={14} aria-hidden /> All requests
            </Link>
            <div className="flex flex-wrap items-center gap-2">
              <h2 id="asked" ref={heading} tabIndex={-1} className="font-semibold text-lg outline-none">
                <AgentName agent={item.agent} full /> {ITEM_HEADLINES[item.kind]}
                {item.round > 1 && " again, because the file or the rules changed"}
              </h2>
              <WaitingBadge item={item} />
              <ExpiryBadge at={item.expiresAt} />
              <AskPerson item={item} />
            </div>
            <CardTrail trail={item.trail} />
            <AskedPerson item={item} />
          </header>
          {dangers.length > 0 && <Dangers dangers={dangers} />}
          {children}
          <hr className="border-line" />
          <CardContext item={item} />
        </div>
      </section>
      <footer className="shrink-0 border-line border-t bg-surface px-4 py-3 shadow-[0_-4px_12px_rgb(0_0_0/0.06)]">
        {refusal === undefined ? answers : <p className="text-muted text-sm">{refusal}</p>}
      </footer>
    </article>
  );
}

function Dangers({ dangers }: { dangers: readonly string[] }) {
  return (
    <div className="flex items-start gap-2 rounded-md bg-bad-soft p-2.5 text-bad text-sm">
      <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        <p className="font-medium">Check carefully</p>
        <ul className="list-disc pl-4">
          {dangers.map((danger) => (
            <li key={danger} className="break-words [overflow-wrap:anywhere]">
              <CommandTitle text={danger} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

export interface CardProps {
  item: ApprovalView;
  takesFocus: boolean;
  onDecided(decision: Decision): void;
  /** Shown above the request. */
  children?: ReactNode;
}

/** U27: the path from the root run to the run that asks, with the task of each. */
function CardTrail({ trail }: Pick<ApprovalView, "trail">) {
  return (
    <nav aria-label="Asking run">
      <ol className="flex flex-col gap-x-1 gap-y-0.5 text-xs lg:flex-row lg:flex-wrap lg:items-center">
        {trail.map(({ runId, agent, task }, at) => (
          <li key={runId} className="flex min-w-0 items-center gap-1 lg:max-w-[45%]">
            {at > 0 && <ChevronRight size={13} aria-hidden className="shrink-0 text-muted" />}
            <Link
              to="/r/$runId"
              params={{ runId }}
              className="flex min-w-0 items-center gap-1 rounded py-0.5 hover:underline"
            >
              <RoleIcon agent={agent} size={13} />
              <span className="shrink-0 font-medium">
                <AgentName agent={agent} full />
              </span>
              <span className="truncate text-muted" title={task}>
                <VisibleText text={task} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
