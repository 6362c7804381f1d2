// The thread in which `web-reader.ts` has a page read.

import { parentPort, workerData } from "node:worker_threads";
import { type PageSource, pageText } from "./page-text.ts";

parentPort!.postMessage(pageText(workerData as PageSource));
