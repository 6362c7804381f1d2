// A notification of the browser's own, for who looks elsewhere. All tabs show the same one under the same tag, so that
// there is one for each tree however many tabs are open.

import type { Notice } from "./news.ts";
import { isQuietAt, noticeSettings } from "./notice-settings.ts";

export function notifyOutside(notice: Notice, onClick: () => void): void {
  const settings = noticeSettings();
  const isWanted = notice.kind === "needs-you" ? settings.needsYou : settings.done;
  if (!isWanted || !document.hidden || isQuietAt(settings, new Date())) return;
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(notice.title, {
      body: notice.text,
      tag: `cadre ${notice.rootRunId}`,
      icon: "/favicon.svg",
    });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  } catch {
    // Phones have the name of it, but allow it only to a worker: the page says it all the same.
  }
}
