/** Keeps this process from everything else, while the server goes on. @param time in milliseconds. */
export function holdUp(time: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
}
