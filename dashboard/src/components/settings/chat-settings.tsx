import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SettingsBody } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { agentsQuery, settingsQuery } from "../../live/queries.ts";
import { Field } from "../../ui/field.tsx";
import { Select } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function ChatSettings() {
  const settings = useQuery(settingsQuery);
  const agents = useQuery(agentsQuery);
  const queries = useQueryClient();
  const refusal = useRefusal("admin");
  const choosing = useMutation({
    mutationFn: (body: SettingsBody) => client.post("/api/settings", { body }),
    onSuccess: (chosen) => queries.setQueryData(settingsQuery.queryKey, chosen),
  });
  if (settings.isError) return <Failure error={settings.error} onAgain={() => void settings.refetch()} />;
  const names = new Set([
    ...(settings.data ? [settings.data.agent] : []),
    ...(agents.data?.agents ?? []).flatMap(({ name, kind }) => (kind === "main" ? [name] : [])),
  ]);
  return (
    <SettingsSection title="Chat" text="Applies to every browser.">
      {!settings.data ? (
        <Loading />
      ) : (
        <div className="flex flex-wrap gap-4">
          <Field label="Default agent">
            {(id) => (
              <Select
                id={id}
                className="max-md:h-10"
                disabled={refusal !== undefined}
                value={settings.data.agent}
                onChange={({ target }) => choosing.mutate({ agent: target.value })}
              >
                {[...names].toSorted().map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Default mode">
            {(id) => (
              <Select
                id={id}
                className="max-md:h-10"
                disabled={refusal !== undefined}
                value={settings.data.mode}
                onChange={({ target }) => choosing.mutate({ mode: target.value as "auto" | "chat" })}
              >
                <option value="chat">Chat: answers, then waits for you</option>
                <option value="auto">Auto: works on its own until done</option>
              </Select>
            )}
          </Field>
        </div>
      )}
      {refusal !== undefined && <p className="text-muted">{refusal}</p>}
      <Problem text={choosing.isError ? messageOf(choosing.error) : undefined} />
    </SettingsSection>
  );
}
