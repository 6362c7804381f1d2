import { createContext } from "react";

/** The time that is shown, where that is not now. */
export const Moment = createContext<number | undefined>(undefined);
