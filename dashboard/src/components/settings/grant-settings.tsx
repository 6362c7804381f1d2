import { useQuery } from "@tanstack/react-query";
import { Failure, Loading } from "../../display/page-state.tsx";
import { grantsQuery } from "../../live/queries.ts";
import { GrantList } from "../grants/grant-list.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function GrantSettings() {
  // People also grant permissions in the inbox and at the terminal, so an earlier answer may be out of date.
  const grants = useQuery({ ...grantsQuery, refetchOnMount: "always" });
  return (
    <SettingsSection
      title="Grants"
      text="Calls you have allowed for longer than once. Revoke a grant, and such calls ask again."
    >
      {grants.isPending && <Loading />}
      {grants.isError && <Failure error={grants.error} onAgain={() => void grants.refetch()} />}
      {grants.data?.length === 0 && (
        <p className="text-muted">
          None: every call that needs approval asks. Choose “Always here” when you approve a call to add one.
        </p>
      )}
      {grants.data && grants.data.length > 0 && <GrantList grants={grants.data} />}
    </SettingsSection>
  );
}
