import { plainLine } from "../view/text/plain.ts";

/** Says that the run's folder is missing. The journal fixes the folder, so it must be created. `where`: a server, or here. */
export const missingFolderText = (folder: string, where: string): string =>
  `${plainLine(folder)}, where it works, is not ${where}: make it there before the run goes on.`;
