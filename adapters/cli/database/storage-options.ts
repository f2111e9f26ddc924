import { InvalidArgumentError, Option } from "commander";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { durationMs } from "../terminal/duration.js";
import type { OpenOptions } from "./database.js";
import { shownUrl } from "./postgres-url.js";

/** What tells how a server uses its database. Those of connections are for Postgres. */
export interface StorageFlags {
  readonly poolSize: number;
  /** In milliseconds, as the others. */
  readonly statementTimeout: number;
  readonly connectTimeout: number;
  readonly wait: number;
  readonly replicaUrl: readonly string[];
}

/** `--pool-size`, `--statement-timeout`, `--connect-timeout`, `--wait` and `--replica-url`. */
export function storageOptions(): Option[] {
  return [
    new Option("--pool-size <number>", "connections to Postgres at most")
      .env("LOYALTY_POOL_SIZE")
      .argParser((text) => {
        if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text);
        throw new InvalidArgumentError("It must be a number from 1 to 9999.");
      })
      .default(10),
    duration(
      "--statement-timeout",
      "how long a statement may take on Postgres",
      "LOYALTY_STATEMENT_TIMEOUT",
      "10s",
    ),
    duration(
      "--connect-timeout",
      "how long a connection to Postgres is waited for",
      "LOYALTY_CONNECT_TIMEOUT",
      "5s",
    ),
    duration(
      "--wait",
      "how long to wait for a database that can't be reached yet",
      "LOYALTY_WAIT",
      "60s",
      "0s",
    ),
    new Option(
      "--replica-url <url>",
      "a replica of it that answers reads which take long; may be given for each",
    )
      .env("LOYALTY_REPLICA_URL")
      .argParser((text: string, before: readonly string[]) => [...before, parseReplica(text)])
      .default([], "none"),
  ];
}

export function openOptionsOf(flags: StorageFlags): OpenOptions {
  const { poolSize, statementTimeout, connectTimeout, replicaUrl: replicas } = flags;
  return { poolSize, statementTimeoutMs: statementTimeout, connectTimeoutMs: connectTimeout, replicas };
}

function parseReplica(text: string): string {
  if (shownUrl(text) === null) throw new CommandError("--replica-url must be a postgres:// URL", WRONG_USAGE);
  return text;
}

function duration(flag: string, what: string, env: string, usual: string, none?: string): Option {
  const parse = (text: string): number => {
    const ms = text === none ? 0 : durationMs(text);
    // The server takes no more.
    if (ms === null || ms > 86_400_000) {
      throw new InvalidArgumentError(`It must be a duration such as ${usual} or 5m, a day at most.`);
    }
    return ms;
  };
  return new Option(`${flag} <duration>`, what).env(env).argParser(parse).default(parse(usual), usual);
}
