import { equal } from "node:assert/strict";
import { test } from "node:test";
import { mean } from "./mean.mjs";

test("the mean of one number is that number", () => equal(mean([4]), 4));
test("the mean of several", () => equal(mean([1, 2, 3]), 2));
