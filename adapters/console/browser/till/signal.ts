let context: AudioContext | null = null;

/** Says by ear how it went: two tones up for done, a low buzz for not. What the browser forbids is silent. */
export function sound(isGood: boolean): void {
  try {
    context ??= new AudioContext();
    const tones = isGood ? [880, 1_320] : [180, 140];
    for (const [at, frequency] of tones.entries())
      tone(context, frequency, at * 0.12, isGood ? "sine" : "square");
    navigator.vibrate?.(isGood ? 60 : [120, 80, 120]);
  } catch {
    // The eye is told as well.
  }
}

function tone(audio: AudioContext, frequency: number, after: number, type: OscillatorType): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  const start = audio.currentTime + after;
  oscillator.type = type;
  oscillator.frequency.value = frequency;
  volume.gain.setValueAtTime(0.2, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.2);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.2);
}
