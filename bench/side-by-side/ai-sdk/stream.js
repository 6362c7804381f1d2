import { streamText } from "ai";
import { model } from "./model.js";

const { textStream } = streamText({ model, instructions: "Greet people.", prompt: "Say hello to Ada" });
for await (const text of textStream) process.stdout.write(text);
