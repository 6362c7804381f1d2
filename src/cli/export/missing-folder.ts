import { plainLine } from "../view/text/plain.ts";

/** A journal says in which folder its run works, and cannot be changed. `where`: a server, or here. */
export const missingFolderText = (folder: string, where: string): string =>
  `${plainLine(folder)}, where it works, is not ${where}: make it there before the run goes on.`;
