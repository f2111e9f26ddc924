import type { TestProject } from "vitest/node";
import { startServer } from "./server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A server that all test files share. */
    readonly postgresUrl: string;
  }
}

/** Starts the server once for a run of the tests, and stops it at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
