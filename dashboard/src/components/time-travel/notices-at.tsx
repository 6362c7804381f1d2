import { RunNotices, type RunNoticesProps } from "../run-actions/run-notices.tsx";
import { PastNotices } from "./past-notices.tsx";

/** What must be seen first, of now or of then. */
export function NoticesAt({ past, ...props }: RunNoticesProps & { past: boolean }) {
  return past ? <PastNotices {...props} /> : <RunNotices {...props} />;
}
