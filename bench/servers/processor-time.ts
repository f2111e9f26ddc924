/** Makes a server report to its parent process, on request, how much processor time it has used, in microseconds. */
export function reportProcessorTime(): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
}
