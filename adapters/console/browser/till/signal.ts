let context: AudioContext | null = null;

/** Plays two rising tones for a success, a low buzz for a failure; nothing where the browser forbids sounds. */
export function sound(isGood: boolean): void {
  try {
    context ??= new AudioContext();
    const tones = isGood ? [880, 1_320] : [180, 140];
    for (const [at, frequency] of tones.entries())
      tone(context, frequency, at * 0.12, isGood ? "sine" : "square");
    navigator.vibrate?.(isGood ? 60 : [120, 80, 120]);
  } catch {
    // The screen shows it as well.
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
