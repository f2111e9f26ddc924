import { vi } from "vitest";

/*
 * Stands in for `node:worker_threads` where a process may not start threads:
 * vi.mock("node:worker_threads", () => import("./refused-threads.js"))
 */

const { Worker: Thread } = await vi.importActual<typeof import("node:worker_threads")>("node:worker_threads");

export const refused = { isOn: true, tries: 0 };

export class Worker extends Thread {
  constructor(...args: ConstructorParameters<typeof Thread>) {
    if (refused.isOn) {
      refused.tries += 1;
      throw Object.assign(new Error("Access to this API has been restricted"), { code: "ERR_ACCESS_DENIED" });
    }
    super(...args);
  }
}
