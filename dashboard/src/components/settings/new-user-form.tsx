// Lets somebody in by a name and a role.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { CreatedUser, RoleView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { client } from "../../live/client.ts";
import { usersQuery } from "../../live/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input, Select } from "../../ui/input.tsx";

export function NewUserForm({ onMade }: { onMade(made: CreatedUser): void }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<RoleView>("operator");
  const adding = useMutation({
    mutationFn: () => client.addUser({ name, role }),
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
        Let in
      </Button>
      {adding.isError && (
        <p role="alert" className="w-full text-bad">
          {messageOf(adding.error)}
        </p>
      )}
    </form>
  );
}
