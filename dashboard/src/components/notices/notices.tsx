// U32, U49: toasts, screen reader announcements, and desktop notifications.

import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { CircleCheck, Hand, OctagonX, X } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import { VisibleText } from "../../display/visible-text.tsx";
import { onFeedNews } from "../../live/keep-queries-fresh.ts";
import { approvalsQuery } from "../../live/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { notifyInBrowser } from "./browser-notification.ts";
import { DIGEST, type Notice, newApprovalNotices, runEndNotice } from "./news.ts";
import { playNoticeSound } from "./sound.ts";

const SHOWN_MS = 8_000;
const MOST = 3;

export function Notices() {
  const [shown, setShown] = useState<readonly Notice[]>([]);
  const navigate = useNavigate();
  const drop = useCallback((notice: Notice) => setShown((all) => all.filter((one) => one !== notice)), []);
  const announce = useCallback(
    (notice: Notice) => {
      notifyInBrowser(notice, (shown) => void navigate(targetOf(shown)));
      playNoticeSound(notice);
      setShown((all) =>
        [...all.filter(({ rootRunId }) => rootRunId !== notice.rootRunId), notice].slice(-MOST),
      );
      setTimeout(() => drop(notice), SHOWN_MS);
    },
    [navigate, drop],
  );
  useNews(announce);
  // Shows no toast about the page that is already open.
  const { pathname } = useLocation();
  const away = shown.filter((notice) => !isOnPage(notice, pathname));
  return (
    <section
      aria-label="Notices"
      // On a wide screen, toasts are below the navigation, where they cover nothing that a person reads or clicks.
      className="pointer-events-none fixed z-30 max-md:top-2 max-md:right-4 max-md:w-[min(22rem,calc(100vw-2rem))] md:bottom-12 md:left-2 md:w-40"
    >
      <p role="status" className="sr-only">
        {shown.map(({ title, text }) => `${title}: ${text}`).join(". ")}
      </p>
      <ul className="flex flex-col gap-2">
        {away.map((notice) => (
          <Toast key={`${notice.rootRunId} ${notice.kind}`} notice={notice} onClose={() => drop(notice)} />
        ))}
      </ul>
    </section>
  );
}

const isOnPage = ({ kind, rootRunId }: Notice, pathname: string): boolean =>
  pathname === `/r/${rootRunId}` || (kind === "needs-you" && pathname === "/inbox");

/** The page that a notice links to: the inbox item, the run, or the list of runs. */
const targetOf = ({ kind, rootRunId, approvalId }: Notice) =>
  kind === "needs-you"
    ? ({ to: "/inbox", search: approvalId === undefined ? {} : { item: approvalId } } as const)
    : rootRunId === DIGEST
      ? ({ to: "/" } as const)
      : ({ to: "/r/$runId", params: { runId: rootRunId } } as const);

function useNews(announce: (notice: Notice) => void): void {
  const { data } = useQuery(approvalsQuery);
  const before = useRef<readonly ApprovalView[]>(undefined);
  useEffect(() => {
    if (!data) return;
    for (const notice of newApprovalNotices(before.current, data)) announce(notice);
    before.current = data;
  }, [data, announce]);
  useEffect(
    () =>
      onFeedNews((news) => {
        const notice = news.type === "live" ? runEndNotice(news.live) : undefined;
        if (notice) announce(notice);
      }),
    [announce],
  );
}

function Toast({ notice, onClose }: { notice: Notice; onClose(): void }) {
  const { kind, isBad, title, text } = notice;
  const [Icon, look] =
    kind === "needs-you" ? [Hand, "text-warn"] : isBad ? [OctagonX, "text-bad"] : [CircleCheck, "text-good"];
  return (
    <li className="pointer-events-auto flex items-start gap-2 rounded-lg border border-line bg-surface p-3 text-sm shadow-xl md:p-2 md:text-xs">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${look}`} />
      <Link {...targetOf(notice)} onClick={onClose} className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          <VisibleText text={title} />
        </span>
        <span className="line-clamp-2 break-words text-muted">
          <VisibleText text={text} />
        </span>
      </Link>
      <IconButton icon={X} label="Close the notice" onClick={onClose} />
    </li>
  );
}
