type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

/**
 * Does something when all tests of the file are done, the latest asked for first. For what tests share, and for tests
 * that run side by side and so have no end of their own.
 */
export function addCleanup(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Does all of it, one after the other. @throws what the first one that fails throws, when all were tried. */
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
