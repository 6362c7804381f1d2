// The signed-in user and what their role allows. The server enforces roles; the page only hides actions that the server would refuse.

import { useQuery } from "@tanstack/react-query";
import type { RoleView } from "../../../src/api/client/types.ts";
import { meQuery } from "./queries.ts";

const RANKS: readonly RoleView[] = ["viewer", "operator", "admin"];

/** Says why the user's role does not allow an action; undefined if the role allows it or is not known yet. */
export function useRefusal(needed: RoleView): string | undefined {
  const { data: me } = useQuery(meQuery);
  if (!me || RANKS.indexOf(me.role) >= RANKS.indexOf(needed)) return undefined;
  return needed === "admin"
    ? `Only an admin may do this: you are ${me.role === "viewer" ? "a viewer" : "an operator"}.`
    : "Only an operator or an admin may do this: you are a viewer.";
}
