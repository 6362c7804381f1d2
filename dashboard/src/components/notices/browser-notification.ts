// Desktop notifications for a user who is looking at another window.
// All tabs use the same tag for a tree, so each tree shows one notification even if several tabs are open.

import { type Notice, summarizeNotices } from "./news.ts";
import { isQuietAt, quietHoursEnd, readNoticeSettings } from "./notice-settings.ts";

let kept: Notice[] = [];

export function notifyInBrowser(notice: Notice, onClick: (shown: Notice) => void): void {
  const settings = readNoticeSettings();
  const isWanted = notice.kind === "needs-you" ? settings.needsYou : settings.done;
  if (!isWanted) return;
  const now = new Date();
  if (isQuietAt(settings, now)) keepForLater(notice, quietHoursEnd(settings, now), onClick);
  else if (document.hidden) show(notice, onClick);
}

/** Collects the notices of the quiet hours and shows them as one notice when the quiet hours end. */
function keepForLater(notice: Notice, until: Date, onClick: (shown: Notice) => void): void {
  kept.push(notice);
  if (kept.length > 1) return;
  setTimeout(() => {
    const digest = summarizeNotices(kept);
    kept = [];
    if (digest) show(digest, onClick);
  }, until.getTime() - Date.now());
}

function show(notice: Notice, onClick: (shown: Notice) => void): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(notice.title, {
      body: notice.text,
      tag: `cadre ${notice.rootRunId}`,
      icon: "/favicon.svg",
    });
    shown.onclick = () => {
      window.focus();
      onClick(notice);
      shown.close();
    };
  } catch {
    // Phones allow notifications only from a service worker, so a phone throws here. The page still shows a toast.
  }
}
