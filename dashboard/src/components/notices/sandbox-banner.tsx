// Says once in this browser that commands of agents run without a sandbox. Only admins can see the checks, and change that.

import { useQuery } from "@tanstack/react-query";
import { ShieldOff, X } from "lucide-react";
import { VisibleText } from "../../display/visible-text.tsx";
import { checksQuery, healthQuery, meQuery } from "../../live/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";
import { NoticeBar } from "../../ui/notice-bar.tsx";

export function SandboxBanner() {
  const [isRead, setRead] = useLocalStorage("cadre-no-sandbox-read");
  const { data: me } = useQuery(meQuery);
  const { data: health } = useQuery(healthQuery);
  const isAsked = isRead === undefined && me?.role === "admin" && health !== undefined && !health.demo;
  const { data: checks } = useQuery({ ...checksQuery, enabled: isAsked });
  const found = checks?.find(({ name, isDanger }) => name === "sandbox" && isDanger);
  if (!isAsked || !found) return null;
  return (
    <NoticeBar tone="bad" role="region" aria-label="No sandbox">
      <ShieldOff size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0">
        No sandbox works here, so commands of agents run with all your rights.
        {found.fix !== undefined && (
          <>
            {" "}
            To change that: <VisibleText text={found.fix} />
          </>
        )}
      </span>
      <IconButton icon={X} label="Close" className="ml-auto" onClick={() => setRead("1")} />
    </NoticeBar>
  );
}
