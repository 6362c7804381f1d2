// Makes property tests use the same cases on every machine, so that a failure can be reproduced. `FC_SEED=random` tries new cases.

import fc from "fast-check";

const asked = process.env["FC_SEED"];
if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 20_261_116) });
