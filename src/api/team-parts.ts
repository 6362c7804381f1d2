// What the API is given for a team of people.

import type { Notifier } from "../webhooks/telling.ts";
import type { Person } from "./person.ts";

export interface TeamParts {
  /** The named user whose routes these are; absent: whoever holds the folder's token. */
  person?: Person;
  /** Absent: there are none. */
  webhooks?: Pick<Notifier, "hooks" | "test">;
}
