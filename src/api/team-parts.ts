// What the API is given for a team of people.

import type { Notifier } from "../webhooks/notifier.ts";
import type { Person } from "./access/person.ts";

export interface TeamParts {
  /** The named user whose routes these are; absent: whoever holds the folder's token. */
  person?: Person;
  /** Absent: there are none. */
  webhooks?: Pick<Notifier, "hooks" | "test">;
}
