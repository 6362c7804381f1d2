// U32: two short sounds: a rising one for "needs you", a falling one for "done".
// A browser plays no sound before the user has clicked on the page.

import type { Notice } from "./news.ts";
import { isQuietAt, readNoticeSettings } from "./notice-settings.ts";

const TONES: Record<Notice["kind"], readonly number[]> = {
  "needs-you": [660, 880],
  done: [660, 495],
};
const NOTE_S = 0.14;
const LOUDNESS = 0.08;

let context: AudioContext | undefined;

export function playNoticeSound({ kind }: Notice): void {
  const settings = readNoticeSettings();
  const isWanted = kind === "needs-you" ? settings.soundNeedsYou : settings.soundDone;
  if (isWanted && !isQuietAt(settings, new Date())) playTone(kind);
}

export function playTone(kind: Notice["kind"]): void {
  context ??= new AudioContext();
  const { currentTime, destination } = context;
  TONES[kind].forEach((frequency, at) => {
    const tone = new OscillatorNode(context!, { type: "sine", frequency });
    const volume = new GainNode(context!, { gain: LOUDNESS });
    const from = currentTime + at * NOTE_S;
    // The tone fades out, because a tone that stops suddenly ends with an audible click.
    volume.gain.setTargetAtTime(0, from + NOTE_S * 0.6, NOTE_S / 6);
    tone.connect(volume).connect(destination);
    tone.start(from);
    tone.stop(from + NOTE_S * 2);
  });
}
