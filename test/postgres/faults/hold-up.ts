/** Blocks this process while the server continues. @param time in milliseconds. */
export function holdUp(time: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
}
