import type { TillSignal } from "./till-state.js";

interface Sounding {
  /** The tones' frequencies in hertz, played one after another. */
  readonly tones: readonly number[];
  readonly type: OscillatorType;
  /** Durations in milliseconds, alternating between vibration and pause. */
  readonly vibration: readonly number[];
}

const signals: Readonly<Record<TillSignal, Sounding>> = {
  good: { tones: [880, 1_320], type: "sine", vibration: [60] },
  asks: { tones: [660, 880, 660], type: "triangle", vibration: [60, 60, 60, 60, 60] },
  bad: { tones: [180, 140], type: "square", vibration: [120, 80, 120] },
};

/** Time between the starts of two tones, in seconds. */
const APART = 0.12;

/** How long a tone takes to fade out, in seconds. */
const FADE = 0.2;

let context: AudioContext | null = null;

/**
 * Plays a signal's sound and vibration if the user has enabled them and the browser supports them. The screen always shows the same
 * information.
 */
export function play(
  signal: TillSignal,
  wanted: { readonly hasSound: boolean; readonly hasVibration: boolean },
): void {
  const { tones, type, vibration } = signals[signal];
  try {
    if (wanted.hasVibration) navigator.vibrate?.([...vibration]);
    if (!wanted.hasSound) return;
    context ??= new AudioContext();
    // Browsers let a page play sound only after the first click or key press.
    if (context.state === "suspended") void context.resume().catch(() => {});
    for (const [at, frequency] of tones.entries()) tone(context, frequency, at * APART, type);
  } catch {
    // If the device can't play sound, the screen shows the result anyway.
  }
}

function tone(audio: AudioContext, frequency: number, after: number, type: OscillatorType): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  const start = audio.currentTime + after;
  oscillator.type = type;
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0.2, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + FADE);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + FADE);
}
