import { createMask, type Mask } from "./mask.ts";

/** For what is never told a secret; unmistakable tokens are masked all the same. */
export const shapesOnly = (): Mask => createMask({ list: () => [], hasChanged: () => false });
