// Access to this server: a sign-in link for another browser. Admins also see the users and their tokens.
// A token is shown only once.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedUser, RoleView, UserView } from "../../../../src/api/client/types.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { Loaded } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { meQuery, usersQuery } from "../../live/queries.ts";
import { queryClient } from "../../live/query-client.ts";
import { useAction } from "../../live/use-action.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, InputField, SelectField } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { ActionDialog } from "../action-dialog.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function AccessSettings() {
  const [link, setLink] = useState<{ url: string; expiresAt: number }>();
  const { busy, problem, perform } = useAction();
  const { data: me } = useQuery(meQuery);
  const isAdmin = useRefusal("admin") === undefined;
  return (
    <SettingsSection title="Access" text={`${me ? `You are ${me.name}, ${ROLES[me.role]}. ` : ""}${SAME}`}>
      <Button
        className="max-md:h-10"
        disabled={busy}
        onClick={() => void perform(async () => setLink(await client.post("/api/link")))}
      >
        Create a link for another browser
      </Button>
      {link && (
        <p className="flex max-w-full flex-col gap-1">
          <Copyable text={link.url} />
          <span className="text-muted">Works once, in one browser, until {clockTime(link.expiresAt)}.</span>
        </p>
      )}
      {isAdmin && <SignOutOthers />}
      <Problem text={problem} />
    </SettingsSection>
  );
}

const SAME = "Anyone who signs in with your link has the same access as you.";
const ROLES = { viewer: "a viewer", operator: "an operator", admin: "an admin" } as const;

function SignOutOthers() {
  const [isAsking, setAsking] = useState(false);
  const [isDone, setDone] = useState(false);
  return (
    <>
      <Button look="danger" className="max-md:h-10" onClick={() => setAsking(true)}>
        Sign out all other browsers…
      </Button>
      {isDone && (
        <p role="status" className="text-good">
          Done: there is a new token, and only this browser is signed in.
        </p>
      )}
      <ActionDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out all other browsers?"
        description="This creates a new token. Other browsers, links and programs lose access at once; this browser stays signed in. Runs continue."
        action={async () => {
          await client.post("/api/token");
          setDone(true);
        }}
        submit="Sign them out"
        cancel="Keep them"
        isDanger
      />
    </>
  );
}

export function UserList() {
  const users = useQuery({ ...usersQuery, refetchOnMount: "always" });
  const [made, setMade] = useState<CreatedUser>();
  return (
    <SettingsSection
      title="Users"
      text="Viewers can look, operators can start runs and approve calls, admins can do everything."
    >
      <Loaded query={users}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-muted">No users yet: anyone with this folder’s token has full access.</p>
          ) : (
            <ul className="w-full divide-y divide-line rounded-md border border-line">
              {list.map((user) => (
                <UserRow key={user.name} user={user} onMade={setMade} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewUserForm onMade={setMade} />
      <Dialog
        open={made !== undefined}
        onOpenChange={() => setMade(undefined)}
        title={`Token for ${made?.name ?? ""}`}
        description="The token is shown only once. Send it over a channel that others cannot read."
      >
        {made && (
          <div className="flex flex-col gap-3 p-4 text-sm">
            <Copyable text={made.token} />
            {made.link !== undefined && (
              <>
                <p className="text-muted">Or send this sign-in link. It works once, in one browser:</p>
                <Copyable text={made.link} />
              </>
            )}
          </div>
        )}
      </Dialog>
    </SettingsSection>
  );
}

interface MadeProps {
  /** Called when a user and their token were created. */
  onMade(made: CreatedUser): void;
}

/** Changes a user and then loads the list of users again. */
function useUserAction() {
  const { busy, problem, perform } = useAction();
  const change = async (what: () => Promise<unknown>) => {
    await perform(what);
    await queryClient.invalidateQueries(usersQuery);
  };
  return { busy, problem, change };
}

function NewUserForm({ onMade }: MadeProps) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<RoleView>("operator");
  const { busy, problem, change } = useUserAction();
  const submit = () =>
    void change(async () => {
      onMade(await client.post("/api/users", { body: { name, role } }));
      setName("");
    });
  return (
    <Form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
      <InputField label="Name" quiet autoComplete="off" value={name} onText={setName} />
      <SelectField label="Role" quiet value={role} onText={(next) => setRole(next as RoleView)}>
        {Object.keys(ROLES).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </SelectField>
      <Button type="submit" className="max-md:h-10" disabled={name === "" || busy}>
        Add user
      </Button>
      <Problem text={problem} />
    </Form>
  );
}

function UserRow({ user, onMade }: MadeProps & { user: UserView }) {
  const { name, role, rotatedAt, revokedAt, madeBy } = user;
  const { busy, problem, change } = useUserAction();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="break-all font-medium">{name}</span>
          <Badge tone={revokedAt === undefined ? "muted" : "warn"}>
            {revokedAt === undefined ? role : "revoked"}
          </Badge>
        </p>
        <p className="text-muted text-xs">
          {revokedAt === undefined ? "token issued " : "revoked "}
          <When ts={revokedAt ?? rotatedAt} />, added by <VisibleText text={madeBy} />
        </p>
        <Problem text={problem} />
      </div>
      <Button
        size="small"
        className="max-md:h-10"
        aria-label={`New token for ${name}`}
        disabled={busy}
        onClick={() =>
          void change(async () => onMade(await client.post("/api/users/{name}/rotate", { name })))
        }
      >
        {revokedAt === undefined ? "New token" : "Restore access"}
      </Button>
      {revokedAt === undefined && (
        <Button
          size="small"
          look="danger"
          className="max-md:h-10"
          aria-label={`Revoke ${name}`}
          disabled={busy}
          onClick={() => void change(() => client.delete("/api/users/{name}", { name }))}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}
