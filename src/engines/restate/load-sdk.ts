// Loads Restate's SDK. Cadre does not depend on it: users of this engine install it themselves.

import { installHint } from "../../config/install-hint.ts";
import { CadreError, messageOf } from "../../errors.ts";

export type Sdk = typeof import("@restatedev/restate-sdk");

export async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@restatedev/restate-sdk");
  } catch (error) {
    throw new CadreError(
      "CONFIG_INVALID",
      `The engine restate needs the package @restatedev/restate-sdk, which cannot be loaded (${messageOf(error)}). Nothing was changed; install it: ${installHint("@restatedev/restate-sdk")}`,
    );
  }
}
