// Property tests use the same cases everywhere, so that a failure can be reproduced anywhere. `FC_SEED=random` uses others.

import fc from "fast-check";

const asked = process.env["FC_SEED"];
if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 20_261_116) });
