// The other projects of this user, below the navigation. A click signs this browser in there.

import { useQuery } from "@tanstack/react-query";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { otherProjectsQuery } from "../../live/queries.ts";
import { useAction } from "../../live/use-action.ts";

export function OtherProjects() {
  const { data: projects = [] } = useQuery(otherProjectsQuery);
  const { busy, problem, perform } = useAction();
  const shown = projects.filter(({ isUp, waiting, working }) => isUp || waiting + working > 0);
  if (shown.length === 0) return null;
  const open = (project: string) =>
    perform(async () => {
      const { url } = await client.post("/api/projects/{project}/link", { project });
      window.location.assign(url);
    });
  return (
    <section aria-label="Other projects" className="mt-4 hidden px-2 text-sm md:block">
      <h2 className="pb-1 text-2xs text-muted">Other projects</h2>
      <ul className="flex flex-col gap-0.5">
        {shown.map(({ id, folder, isUp, waiting, working }) => (
          <li key={id}>
            <button
              type="button"
              disabled={busy || !isUp}
              title={isUp ? folder : `${folder}: no page is up there. Start: cadre up -C ${folder}`}
              onClick={() => void open(id)}
              className="flex w-full items-center gap-2 rounded-md px-1 py-1 text-left text-muted hover:bg-raised hover:text-ink disabled:opacity-60"
            >
              <span className="min-w-0 flex-1 truncate">
                <VisibleText text={folder.split("/").filter(Boolean).at(-1) ?? folder} />
              </span>
              {working > 0 && (
                <span className="text-2xs">
                  {working}
                  <span className="sr-only"> at work</span>
                </span>
              )}
              {waiting > 0 && (
                <span className="rounded-full bg-warn px-1.5 font-semibold text-2xs text-surface">
                  {waiting}
                  <span className="sr-only"> waiting for you</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {problem !== undefined && (
        <p role="alert" className="pt-1 text-2xs text-bad">
          <VisibleText text={problem} />
        </p>
      )}
    </section>
  );
}
