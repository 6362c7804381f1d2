// The frame of every card: the run that made the request, the request itself, its context, and the answers.

import { Link } from "@tanstack/react-router";
import { ArrowLeft, ChevronRight, ShieldAlert } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { describeAskReason, ITEM_HEADLINES } from "../../../../../src/projections/words/decisions.ts";
import { clockTime, money, plural } from "../../../../../src/projections/words/format.ts";
import { AgentName, RoleIcon } from "../../../display/agent/agent.tsx";
import { CommandTitle } from "../../../display/command/command-text.tsx";
import { VisibleText } from "../../../display/visible-text.tsx";
import { useRefusal } from "../../../live/me.ts";
import { Fact, Facts } from "../../../ui/facts.tsx";
import type { Decision } from "../decision/decide.tsx";
import { ExpiryBadge, WaitingBadge } from "../list/wait-badges.tsx";
import { AskedPerson, AskPerson } from "./ask-person.tsx";
import { findDangers } from "./dangers.ts";

export interface CardFrameProps {
  item: ApprovalView;
  /** Whether the card takes the keyboard focus. True if the user has just answered the previous card. */
  takesFocus: boolean;
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
    <CardLayout
      labelledBy="asked"
      footer={refusal === undefined ? answers : <p className="text-muted text-sm">{refusal}</p>}
    >
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
    </CardLayout>
  );
}

interface CardLayoutProps {
  /** Id of the card's heading. */
  labelledBy: string;
  footer: ReactNode;
  children: ReactNode;
}

/** Lays out a card: the request scrolls, and the answers below the request stay visible and never cover the text. */
export function CardLayout({ labelledBy, footer, children }: CardLayoutProps) {
  return (
    <article aria-labelledby={labelledBy} className="flex min-h-0 flex-1 flex-col bg-surface">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <section aria-label="Request" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex max-w-4xl flex-col gap-4 p-4">{children}</div>
      </section>
      <footer className="shrink-0 border-line border-t bg-surface px-4 py-3 shadow-[0_-4px_12px_rgb(0_0_0/0.06)]">
        {footer}
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
  /** Content that is shown above the request. */
  children?: ReactNode;
}

/** U27: the runs from the root down to the run that made the request, each with its task. */
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

/** U27: the rule that requires approval, what the run has done and spent, and its latest events. */
function CardContext({ item }: { item: ApprovalView }) {
  const { rule, did, spent, fingerprint, hash, recent, runId } = item;
  return (
    <section aria-label="Context" className="flex flex-col gap-3 text-sm">
      <Facts>
        {rule !== undefined && (
          <Fact name="Reason">
            <VisibleText text={describeAskReason(item)} />
          </Fact>
        )}
        <Fact name="So far">
          {plural(did.turns, "turn")}, {plural(did.toolCalls, "tool call")}
          {did.files.length > 0 && (
            <VisibleText text={`; ${did.files.map(({ path, change }) => `${change} ${path}`).join(", ")}`} />
          )}
        </Fact>
        <Fact name="Cost so far">
          {money(spent.run.cost, spent.run.unpriced)}
          <span className="text-muted">
            , {money(spent.tree.cost, spent.tree.unpriced)} for the whole tree
          </span>
        </Fact>
        {fingerprint !== undefined && (
          <Fact name="Based on">
            {fingerprint === "absent" ? (
              "the file not existing"
            ) : (
              <>
                this version of the file <Hash value={fingerprint} />
              </>
            )}
          </Fact>
        )}
        {hash !== undefined && (
          <Fact name="Applies to">
            exactly this call <Hash value={hash} />
          </Fact>
        )}
      </Facts>
      {recent.length > 0 && (
        <div>
          <h3 className="mb-1 text-muted text-xs">Latest events</h3>
          <ol className="flex flex-col gap-1 border-line border-l-2 pl-3">
            {recent.map(({ seq, ts, kind, title }) => (
              <li key={seq} className="flex gap-2">
                <time className="shrink-0 text-muted text-xs tabular-nums leading-5">{clockTime(ts)}</time>
                <span className="min-w-0 break-words">
                  {kind === "thought" && <span className="text-muted">agent says: </span>}
                  <VisibleText text={title} />
                </span>
              </li>
            ))}
          </ol>
          <Link
            to="/r/$runId"
            params={{ runId }}
            className="mt-1 inline-block py-1 text-accent text-xs underline"
          >
            Open the run
          </Link>
        </div>
      )}
    </section>
  );
}

export const Hash = ({ value }: { value: string }) => (
  <code className="font-mono text-muted text-xs" title={value}>
    {value.replace(/^sha256[:-]/, "").slice(0, 12)}
  </code>
);
