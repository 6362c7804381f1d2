// Users, for admins: add a user, issue a new token, or revoke access. A token is shown only once.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { CreatedUser, RoleView, UserView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { Failure, Loading } from "../../display/page-state.tsx";
import { When } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { usersQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input, Select } from "../../ui/input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function UserList() {
  const users = useQuery({ ...usersQuery, refetchOnMount: "always" });
  const [made, setMade] = useState<CreatedUser>();
  return (
    <SettingsSection
      title="Users"
      text="Viewers can look, operators can start runs and approve calls, admins can do everything."
    >
      {users.isPending && <Loading />}
      {users.isError && <Failure error={users.error} onAgain={() => void users.refetch()} />}
      {users.data?.length === 0 && (
        <p className="text-muted">None yet: anyone with this folder’s token has full access.</p>
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
        title={`Token for ${made?.name ?? ""}`}
        description="It is shown only this once. Send it over a channel that others cannot read."
      >
        {made && (
          <div className="flex flex-col gap-3 p-4 text-sm">
            <Copyable text={made.token} />
            {made.link !== undefined && (
              <>
                <p className="text-muted">Or a sign-in link that works once, in one browser:</p>
                <Copyable text={made.link} />
              </>
            )}
          </div>
        )}
      </Dialog>
    </SettingsSection>
  );
}

function NewUserForm({ onMade }: { onMade(made: CreatedUser): void }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<RoleView>("operator");
  const adding = useMutation({
    mutationFn: () => client.post("/api/users", { body: { name, role } }),
    onSuccess(made) {
      setName("");
      onMade(made);
    },
    onSettled: () => queries.invalidateQueries(usersQuery),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
      <Field label="Name" quiet>
        {(id) => (
          <Input
            id={id}
            className="w-44 max-md:h-10"
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Role" quiet>
        {(id) => (
          <Select
            id={id}
            className="max-md:h-10"
            value={role}
            onChange={({ target }) => setRole(target.value as RoleView)}
          >
            <option value="viewer">viewer</option>
            <option value="operator">operator</option>
            <option value="admin">admin</option>
          </Select>
        )}
      </Field>
      <Button type="submit" className="max-md:h-10" disabled={name === "" || adding.isPending}>
        {" "}
        Add user
      </Button>
      <Problem text={adding.isError ? messageOf(adding.error) : undefined} />
    </form>
  );
}

interface UserRowProps {
  user: UserView;
  onMade(made: CreatedUser): void;
}

function UserRow({ user, onMade }: UserRowProps) {
  const { name, role, rotatedAt, revokedAt, madeBy } = user;
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries(usersQuery);
  const rotating = useMutation({
    mutationFn: () => client.post("/api/users/{name}/rotate", { name }),
    onSuccess: onMade,
    onSettled,
  });
  const revoking = useMutation({ mutationFn: () => client.delete("/api/users/{name}", { name }), onSettled });
  const error = rotating.error ?? revoking.error;
  const isBusy = rotating.isPending || revoking.isPending;
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
        <Problem text={error ? messageOf(error) : undefined} />
      </div>
      <Button
        size="small"
        className="max-md:h-10"
        aria-label={`New token for ${name}`}
        disabled={isBusy}
        onClick={() => rotating.mutate()}
      >
        {revokedAt === undefined ? "New token" : "Restore access"}
      </Button>
      {revokedAt === undefined && (
        <Button
          size="small"
          look="danger"
          className="max-md:h-10"
          aria-label={`Revoke ${name}`}
          disabled={isBusy}
          onClick={() => revoking.mutate()}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}
