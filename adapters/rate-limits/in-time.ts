/** How long a request waits for its counter at most, in milliseconds. */
const MOST_WAIT = 1_000;

/** What the work gives. @throws what it throws, or an Error when it takes longer than a request should wait. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no rate limit was counted in ${MOST_WAIT} ms`)), MOST_WAIT);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
