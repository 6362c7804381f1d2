// The worker thread of `read-page.ts`.

import { parentPort, workerData } from "node:worker_threads";
import { type PageSource, pageText } from "./page-text.ts";

parentPort!.postMessage(pageText(workerData as PageSource));
