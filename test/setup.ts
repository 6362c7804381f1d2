// Property tests try the same cases everywhere, so that a red run can be looked at anywhere. `FC_SEED=random` tries others.

import fc from "fast-check";

const asked = process.env["FC_SEED"];
if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 20_261_116) });
