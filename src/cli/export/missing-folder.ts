import { plainLine } from "../view/text/plain.ts";

/** Says that the run's folder is missing. The journal fixes the folder, so it must be created. `where`: a server, or here. */
export const missingFolderText = (folder: string, where: string): string =>
  `The run works in ${plainLine(folder)}, which does not exist ${where}: create it before the run continues.`;
