type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

/**
 * Registers work for the time when all tests of the file are done; the last registered runs first. For resources that
 * tests share, and for concurrent tests, which have no end of their own.
 */
export function addCleanup(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Runs all cleanups, one after the other. @throws the first failure, after all of them were tried. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
