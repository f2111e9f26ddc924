import { SingleFlight } from "../../../../src/base/concurrency/shared-calls.js";
import { withTimeout } from "../../../../src/base/concurrency/timeout.js";
import type { Clock } from "../../../../src/base/values/clock.js";
import type { ConsoleUser } from "./console-user.js";

/** A finding about one part of a server. A part can have several findings. */
export interface ServerFinding {
  /** The part of the server. `wallets` means both wallets. */
  readonly part:
    | "runtime"
    | "database"
    | "settings"
    | "wallets"
    | "apple"
    | "google"
    | "mail"
    | "clock"
    | "disk";
  /** `off` means that the part isn't set up, so there is nothing to check. */
  readonly state: "ok" | "off" | "warning" | "problem";
  /** Describes the finding in English, and how to fix a problem. Operators can read it, so it must not contain secrets. */
  readonly message: string;
}

/**
 * Identifies the server's operators, and checks its setup for the console's page "Server".
 * @example
 * import { createConsole } from "loyalty-kit/console";
 *
 * createConsole(loyalty, {
 *   server: {
 *     isOperator: ({ actorId }) => actorId === process.env.OPERATOR_TOKEN_ID,
 *     check: async () => [{ part: "mail", state: "ok", message: "the mail server accepts emails" }],
 *   },
 * });
 */
export interface ConsoleServer {
  /**
   * Returns whether a signed-in user runs the server. An owner of any organization can invite a person with any email, so compare
   * the email only if `isEmailProven` is true.
   */
  readonly isOperator: (user: ConsoleUser) => boolean;
  /** Checks the server. The console never runs two checks at the same time. */
  readonly check: () => Promise<readonly ServerFinding[]>;
}

/** A finished check, as the console's page reads it. */
export interface ServerReport {
  readonly checkedAt: string;
  readonly findings: readonly ServerFinding[];
}

/** How long a result is reused, in milliseconds. */
const REUSE_MS = 5_000;

/** How long a request waits for a check, in milliseconds. A check of the doctor waits 8 seconds for each of the other servers. */
const LIMIT_MS = 30_000;

/** Runs the checks of a server, one at a time for all operators. */
export class ServerCheck {
  private readonly checks = new SingleFlight<ServerReport>();
  private latest: { readonly report: ServerReport; readonly at: number } | null = null;

  constructor(
    private readonly check: ConsoleServer["check"],
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves to the result of the check that is running, of the last one if it ended in the last five seconds, or else of a new one.
   * @throws any error that the check throws, or an error if the check takes longer than 30 seconds. Such a check keeps running, and
   *   the next call waits for it.
   */
  async read(): Promise<ServerReport> {
    const { latest } = this;
    if (latest !== null && Math.abs(this.clock() - latest.at) < REUSE_MS) return latest.report;
    const running = this.checks.run("", () => this.run());
    return withTimeout(LIMIT_MS, running, `the check of the server didn't finish within ${LIMIT_MS} ms`);
  }

  private async run(): Promise<ServerReport> {
    const findings = await this.check();
    const at = this.clock();
    const report = { checkedAt: new Date(at).toISOString(), findings };
    this.latest = { report, at };
    return report;
  }
}
