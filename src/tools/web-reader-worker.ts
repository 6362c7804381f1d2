// The thread in which `web-reader.ts` has a page read.

import { parentPort, workerData } from "node:worker_threads";
import { readDocument, type WebDocument } from "./web-document.ts";

parentPort!.postMessage(readDocument(workerData as WebDocument));
