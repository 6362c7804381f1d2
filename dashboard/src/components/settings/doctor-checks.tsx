// U55: the checks of `cadre doctor`.

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, OctagonX, TriangleAlert } from "lucide-react";
import type { Check } from "../../../../src/api/client/types.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { checksQuery } from "../../live/queries.ts";
import { Button } from "../../ui/button.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function DoctorChecks() {
  const checks = useQuery(checksQuery);
  if (checks.isError) return <Failure error={checks.error} onAgain={() => void checks.refetch()} />;
  return (
    <SettingsSection title="Doctor" text="Checks for problems with Cadre on this machine.">
      {checks.data ? (
        <ul className="w-full space-y-2">
          {checks.data.map((check) => (
            <CheckRow key={check.name} check={check} />
          ))}
        </ul>
      ) : (
        <Loading what="Checking" />
      )}
      <Button disabled={checks.isFetching} onClick={() => void checks.refetch()}>
        {" "}
        Check again
      </Button>
    </SettingsSection>
  );
}

const STATES = {
  ok: { icon: CircleCheck, look: "text-good", word: "ok" },
  warn: { icon: TriangleAlert, look: "text-warn", word: "warning" },
  bad: { icon: OctagonX, look: "text-bad", word: "error" },
};

function CheckRow({ check: { state, name, text, fix } }: { check: Check }) {
  const { icon: Icon, look, word } = STATES[state];
  return (
    <li className="flex gap-2 text-sm">
      <Icon size={16} aria-label={word} role="img" className={`mt-0.5 shrink-0 ${look}`} />
      <span className="min-w-0 break-words">
        <span className="font-medium">{name}</span>: <VisibleText text={text} />
        {fix !== undefined && (
          <span className="block text-muted">
            <VisibleText text={fix} />
          </span>
        )}
      </span>
    </li>
  );
}
