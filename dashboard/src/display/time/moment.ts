import { createContext } from "react";

/** The past moment that the page shows; undefined for now. */
export const Moment = createContext<number | undefined>(undefined);
