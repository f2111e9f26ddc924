/**
 * Waits for a work for so long at most. The work goes on.
 * @returns whether it has ended by then, well or not.
 */
export async function hasEndedWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const end = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([end, late]);
  } finally {
    clearTimeout(timer);
  }
}
