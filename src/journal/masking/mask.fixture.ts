import { createMask, type Mask } from "./mask.ts";

/** A mask that knows no secrets. It still masks tokens in well-known formats. */
export const shapesOnly = (): Mask => createMask({ list: () => [], hasChanged: () => false });
