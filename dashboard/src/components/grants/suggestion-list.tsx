// Suggested rules that would have made past approvals unnecessary. Each rule is tested against earlier decisions.
// Only a person is allowed to add a rule to the project, so each rule is shown as YAML to copy.

import { useQuery } from "@tanstack/react-query";
import type { Suggestions } from "../../../../src/api/client/types.ts";
import { plural } from "../../../../src/projections/words/format.ts";
import {
  describeSuggestion,
  ruleYaml,
  SUGGESTION_HELP,
} from "../../../../src/projections/words/suggested-rules.ts";
import { GrantRule } from "../../display/grant-rule.tsx";
import { Loaded } from "../../display/page-state.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { suggestionsQuery } from "../../live/queries.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { SettingsSection } from "../settings/settings-section.tsx";

export function SuggestionList() {
  const found = useQuery({ ...suggestionsQuery, refetchOnMount: "always" });
  return (
    <SettingsSection
      title="Suggested rules"
      text="Rules that would have saved you approvals, tested against your past decisions."
    >
      <Loaded query={found} what="Testing rules on past decisions">
        {(data) => <Found found={data} />}
      </Loaded>
    </SettingsSection>
  );
}

/** The suggestions beside the decision history. Shows nothing until somebody keeps allowing the same kind of call. */
export function SuggestionPanel() {
  const { data } = useQuery({ ...suggestionsQuery, refetchOnMount: "always" });
  if (!data || data.suggestions.length === 0) return null;
  return (
    <section aria-label="Suggested rules" className="flex flex-col gap-2 text-sm">
      <h2 className="font-semibold text-sm">You keep allowing these</h2>
      <Found found={data} />
    </section>
  );
}

function Found({ found: { looked, suggestions } }: { found: Suggestions }) {
  const over = `${plural(looked.allowed + looked.refused, "decision")} (${looked.allowed} allowed, ${looked.refused} refused)`;
  if (suggestions.length === 0)
    return (
      <p className="text-muted">No suggestions: no kind of call was always allowed in the latest {over}.</p>
    );
  return (
    <>
      <ul aria-label="Suggested rules" className="w-full divide-y divide-line rounded-md border border-line">
        {suggestions.map((suggestion) => (
          <Suggestion key={suggestion.rule} suggestion={suggestion} />
        ))}
      </ul>
      <p className="text-muted text-xs">
        Tested on the latest {over}. {SUGGESTION_HELP}
      </p>
    </>
  );
}

function Suggestion({ suggestion }: { suggestion: Suggestions["suggestions"][number] }) {
  const { rule, stillAsked } = suggestion;
  const line = ruleYaml(rule);
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1">
          <GrantRule rule={rule} />
        </span>
        <CopyButton text={line} label={`Copy ${rule} for cadre.yaml`} className="max-md:size-10" />
      </div>
      <p>It {describeSuggestion(suggestion)}.</p>
      {stillAsked.length > 0 && (
        <details className="text-sm">
          <summary className="cursor-pointer py-1 text-muted text-xs">
            Calls you would still be asked about
          </summary>
          <ul className="list-disc pl-5">
            {stillAsked.map((title) => (
              <li key={title} className="break-words text-xs">
                <VisibleText text={title} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <pre className="overflow-x-auto rounded bg-raised p-2 font-mono text-xs">
        <VisibleText text={line} />
      </pre>
    </li>
  );
}
