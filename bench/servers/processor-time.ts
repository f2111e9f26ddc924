/** Has a server tell its parent process, whenever that asks, how much processor time it has taken, in microseconds. */
export function reportProcessorTime(): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
}
