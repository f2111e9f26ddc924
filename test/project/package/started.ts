import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import type { Installation } from "./installed.js";

const lineSchema = z.object({ message: z.string() });

/** The log has the address of the server, and then the address of its metrics. */
const address = /\bhttp:\/\/127\.0\.0\.1:[0-9]+\S*/;

/**
 * Imports a file of customers with the command line, and runs the server, as an operator does who has installed the
 * package and a driver. Commands, threads and the files of the console come from the archive.
 */
export async function findCommandProblems({ folder }: Installation): Promise<readonly string[]> {
  const program = join(folder, "node_modules/loyalty-kit/dist/cli.js");
  const startCommand = (...args: readonly string[]) =>
    spawn(process.execPath, [program, ...args, "--database", "shop.db"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
  writeFileSync(join(folder, "customers.csv"), "email,name\nada@example.com,Ada\n");
  const codes: unknown[] = [];
  for (const args of [["migrate"], ["import", "customers.csv", "--organization", "acme"]]) {
    const command = startCommand(...args);
    command.stdout.resume();
    codes.push((await once(command, "close"))[0]);
  }
  const server = startCommand("serve", "--port", "0", "--metrics-port", "0", "--log", "json");
  const closing = once(server, "close");
  const addresses: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    addresses.push(...(address.exec(lineSchema.parse(JSON.parse(line)).message) ?? []));
    if (addresses.length === 2) break;
  }
  const statuses: number[] = [];
  const [api = "", metrics = ""] = addresses;
  for (const url of [`${api}/v1/openapi.json`, `${api}/console`, metrics]) {
    statuses.push((await fetch(url)).status);
  }
  server.kill();
  codes.push((await closing)[0]);
  return [
    ...(statuses.every((status) => status === 200) ? [] : [`the server answers with ${statuses}`]),
    ...(codes.every((code) => code === 0) ? [] : [`commands ended with exit codes ${codes}`]),
  ];
}
