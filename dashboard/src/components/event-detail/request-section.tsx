// What the model saw: the request of a model call, on demand.

import { ChevronDown, ChevronRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { Loading } from "../../display/page-state.tsx";
import { Button } from "../../ui/button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";

const ModelRequest = lazy(async () => ({ default: (await import("./model-request.tsx")).ModelRequest }));

/** The browser remembers whether requests are open: people step from one turn to the next. */
export const OPEN_REQUEST = "cadre.request";

export function RequestSection({ runId, seq }: { runId: string; seq: number }) {
  const [kept, keep] = useLocalStorage(OPEN_REQUEST);
  const isOpen = kept === "open";
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <section aria-label="What the model saw" className="mt-3">
      <Button
        size="small"
        className="max-md:h-10"
        aria-expanded={isOpen}
        onClick={() => keep(isOpen ? undefined : "open")}
      >
        <Icon size={13} aria-hidden /> What the model saw
      </Button>
      {isOpen && (
        <Suspense fallback={<Loading what="Loading the request" />}>
          <ModelRequest runId={runId} seq={seq} />
        </Suspense>
      )}
    </section>
  );
}
