// Access: a sign-in link for another browser, and a new token that signs out all other browsers.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../../../src/errors.ts";
import { clockTime } from "../../../../src/projections/words/format.ts";
import { client } from "../../live/client.ts";
import { meQuery, useRefusal } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function AccessSettings() {
  const linking = useMutation({ mutationFn: () => client.post("/api/link") });
  const { data: me } = useQuery(meQuery);
  const isAdmin = useRefusal("admin") === undefined;
  return (
    <SettingsSection title="Access" text={`${me ? `You are ${me.name}, ${ROLES[me.role]}. ` : ""}${SAME}`}>
      <Button className="max-md:h-10" disabled={linking.isPending} onClick={() => linking.mutate()}>
        {" "}
        Create a link for another browser
      </Button>
      {linking.data && (
        <p className="flex max-w-full flex-col gap-1">
          <Copyable text={linking.data.url} />
          <span className="text-muted">
            Works once, in one browser, until {clockTime(linking.data.expiresAt)}.
          </span>
        </p>
      )}
      {isAdmin && <SignOutOthers />}
      <Problem text={linking.isError ? messageOf(linking.error) : undefined} />
    </SettingsSection>
  );
}

const SAME = "Anyone who signs in with your link has the same access as you.";
const ROLES = { viewer: "a viewer", operator: "an operator", admin: "an admin" } as const;

function SignOutOthers() {
  const [isAsking, setAsking] = useState(false);
  const renewing = useMutation({
    mutationFn: () => client.post("/api/token"),
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button look="danger" className="max-md:h-10" onClick={() => setAsking(true)}>
        Sign out all other browsers…
      </Button>
      {renewing.isSuccess && (
        <p role="status" className="text-good">
          Done: there is a new token, and only this browser is signed in.
        </p>
      )}
      <Problem text={renewing.isError ? messageOf(renewing.error) : undefined} />
      <Dialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Sign out all other browsers?"
        description="This creates a new token. Other browsers, links and programs lose access at once; this browser stays signed in. Runs continue."
      >
        <div className="flex justify-end gap-2 p-4">
          <Button className="max-md:h-10" onClick={() => setAsking(false)}>
            {" "}
            Keep them
          </Button>
          <Button
            look="danger"
            className="max-md:h-10"
            disabled={renewing.isPending}
            onClick={() => renewing.mutate()}
          >
            Sign them out
          </Button>
        </div>
      </Dialog>
    </>
  );
}
