import { expect, test } from "vitest";
import { DEFAULT_SETTINGS, isQuietAt, parseSettings } from "./notice-settings.ts";

const at = (hours: number, minutes = 0) => new Date(2026, 0, 1, hours, minutes);

test("[U32] quiet hours can span midnight", () => {
  const night = { ...DEFAULT_SETTINGS, quiet: true, from: "22:00", to: "07:00" };
  expect([21, 22, 3, 6, 7, 12].map((hour) => isQuietAt(night, at(hour)))).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
  const noon = { ...night, from: "12:00", to: "13:30" };
  expect([isQuietAt(noon, at(11, 59)), isQuietAt(noon, at(13, 29)), isQuietAt(noon, at(13, 30))]).toEqual([
    false,
    true,
    false,
  ]);
  expect(isQuietAt({ ...night, quiet: false }, at(3))).toBe(false);
});

test("the page ignores invalid stored settings", () => {
  expect(parseSettings("not json")).toEqual(DEFAULT_SETTINGS);
  expect(parseSettings('{"needsYou":"yes","done":true,"from":"<b>"}')).toEqual({
    ...DEFAULT_SETTINGS,
    done: true,
  });
});
