// One user: a new token for them, or let in no more.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedUser, UserView } from "../../../../src/api/client/types.ts";
import { messageOf } from "../../../../src/errors.ts";
import { When } from "../../display/time/when.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { usersQuery } from "../../live/queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";

export interface UserRowProps {
  user: UserView;
  onMade(made: CreatedUser): void;
}

export function UserRow({ user, onMade }: UserRowProps) {
  const { name, role, rotatedAt, revokedAt, madeBy } = user;
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries(usersQuery);
  const rotating = useMutation({ mutationFn: () => client.rotateUser(name), onSuccess: onMade, onSettled });
  const revoking = useMutation({ mutationFn: () => client.revokeUser(name), onSettled });
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
          {revokedAt === undefined ? "token made " : "revoked "}
          <When ts={revokedAt ?? rotatedAt} />, let in by <VisibleText text={madeBy} />
        </p>
        {error && (
          <p role="alert" className="text-bad">
            {messageOf(error)}
          </p>
        )}
      </div>
      <Button
        size="small"
        className="max-md:h-10"
        aria-label={`New token for ${name}`}
        disabled={isBusy}
        onClick={() => rotating.mutate()}
      >
        {revokedAt === undefined ? "New token" : "Let in again"}
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
