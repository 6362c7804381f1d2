import { generateText } from "ai";
import { model } from "./model.js";

const { text } = await generateText({ model, instructions: "Greet people.", prompt: "Say hello to Ada" });
console.log(text);
