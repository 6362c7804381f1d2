// The machine's notes about commands, for the workers of a simulation. The notes survive crashes, as files do.
// The simulation can kill a worker before or after each note. So the note of a command can be missing, or lack the command's answer.

import type { CallRecords } from "../../src/loop/parts.ts";
import type { SimProcess, Surroundings } from "./surroundings.ts";

/** The workers keep notes in every fourth seed. In the other seeds, people decide about every unknown outcome. */
export const keepsNotes = ({ seed }: Surroundings["options"]): boolean => seed % 4 === 3;

export function simulatedNotes({ gate }: SimProcess, { notes }: Surroundings): CallRecords {
  const onDisk = <T>(what: string, work: () => T): Promise<T> =>
    gate.pass("effect", what, async () => work());
  return {
    id: "notes",
    begin: (key) =>
      onDisk(`note ${key}`, () => {
        if (notes.has(key)) throw new Error(`another process has declared that ${key} had not begun`);
        notes.set(key, {});
      }),
    end(key, answer) {
      // A dead process writes nothing.
      if (!gate.dead) notes.set(key, { answer });
    },
    find: (key) =>
      onDisk(`look for the note ${key}`, () => {
        const note = notes.get(key);
        if (!note) notes.set(key, { isVoid: true });
        return !note || note.isVoid ? "not begun" : note.answer;
      }),
    forget: (key) => onDisk(`forget ${key}`, () => void notes.delete(key)),
  };
}
