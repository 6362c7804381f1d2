// U27: the context of a request: the rule that requires approval, what the run has done and spent, and its latest
// events.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { describeAskReason } from "../../../../../src/projections/words/decisions.ts";
import { clockTime, money, plural } from "../../../../../src/projections/words/format.ts";
import { VisibleText } from "../../../display/visible-text.tsx";

export function CardContext({ item }: { item: ApprovalView }) {
  const { rule, did, spent, fingerprint, hash, recent, runId } = item;
  return (
    <section aria-label="Context" className="flex flex-col gap-3 text-sm">
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-1">
        {rule !== undefined && (
          <Fact name="Reason">
            <VisibleText text={describeAskReason(item)} />
          </Fact>
        )}
        <Fact name="So far">
          {plural(did.turns, "turn")}, {plural(did.toolCalls, "tool call")}
          {did.files.length > 0 && <Files files={did.files} />}
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
      </dl>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Files({ files }: Pick<ApprovalView["did"], "files">) {
  return (
    <span>
      {"; "}
      {files.map(({ path, change }, at) => (
        <span key={path}>
          {at > 0 && ", "}
          {change} <VisibleText text={path} />
        </span>
      ))}
    </span>
  );
}

export const Hash = ({ value }: { value: string }) => (
  <code className="font-mono text-muted text-xs" title={value}>
    {value.replace(/^sha256[:-]/, "").slice(0, 12)}
  </code>
);
