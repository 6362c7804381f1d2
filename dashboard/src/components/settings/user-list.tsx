// Who may come in by name, for admins: let somebody in, give them a new token, let them in no more. A token is shown once.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedUser } from "../../../../src/api/client/types.ts";
import { Failure } from "../../display/failure.tsx";
import { Loading } from "../../display/loading.tsx";
import { usersQuery } from "../../live/queries.ts";
import { Copyable } from "../../ui/copyable.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { NewUserForm } from "./new-user-form.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { UserRow } from "./user-row.tsx";

export function UserList() {
  const users = useQuery({ ...usersQuery, refetchOnMount: "always" });
  const [made, setMade] = useState<CreatedUser>();
  return (
    <SettingsSection
      title="Users"
      text="Who may come in by name. A viewer looks, an operator starts and approves, an admin does everything."
    >
      {users.isPending && <Loading />}
      {users.isError && <Failure error={users.error} onAgain={() => void users.refetch()} />}
      {users.data?.length === 0 && (
        <p className="text-muted">Nobody yet: whoever holds this folder’s token does everything.</p>
      )}
      {users.data && users.data.length > 0 && (
        <ul className="w-full divide-y divide-line rounded-md border border-line">
          {users.data.map((user) => (
            <UserRow key={user.name} user={user} onMade={setMade} />
          ))}
        </ul>
      )}
      <NewUserForm onMade={setMade} />
      <Dialog
        open={made !== undefined}
        onOpenChange={() => setMade(undefined)}
        title={`A token for ${made?.name ?? ""}`}
        description="It is shown this once. Hand it over by a way that others cannot read."
      >
        {made && (
          <div className="flex flex-col gap-3 p-4 text-sm">
            <Copyable text={made.token} />
            {made.link !== undefined && (
              <>
                <p className="text-muted">Or a link for one browser of theirs, once:</p>
                <Copyable text={made.link} />
              </>
            )}
          </div>
        )}
      </Dialog>
    </SettingsSection>
  );
}
