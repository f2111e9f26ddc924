import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/cleanup.js";
import { program, type RunningProgram, start } from "./command.js";
import { buildCustomersCsv, openCustomers } from "./customers.js";
import { createDatabase } from "./new-database.js";

const COUNT = 12_000;

/** Opens customers in a migrated database. */
async function openNewCustomers() {
  const database = await createDatabase();
  return openCustomers("acme", dirname(database), database);
}

/** Prepares an import of a file so large that it reports progress before it is done. */
async function startLargeImport(environment: Readonly<Record<string, string>> = {}) {
  const acme = await openNewCustomers();
  const file = acme.newFilePath();
  writeFileSync(file, buildCustomersCsv(COUNT));
  const args = [program, "import", file, "--create-tags", ...acme.databaseArgs];
  return { acme, start: () => start(args, environment) };
}

/** Resolves when the import reports progress. */
async function whenUnderWay({ process }: RunningProgram): Promise<void> {
  if (process.stderr === null) throw new Error("it tells nothing");
  await once(process.stderr, "data");
}

describe("an import of many rows", () => {
  it("reports its progress line by line if there is no terminal", async () => {
    const { start } = await startLargeImport();
    const { code, stdout, stderr } = await start().exit;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "12000 rows: 12000 created, 0 updated, 0 unchanged, 0 failed\n",
    });
    expect(stderr).toBe(
      "5000 rows: 5000 created, 0 updated, 0 unchanged, 0 failed\n10000 rows: 10000 created, 0 updated, 0 unchanged, 0 failed\n",
    );
  });

  it("shows a progress bar on a terminal", async () => {
    const terminal = "process.stderr.isTTY = true; process.stderr.columns = 120;";
    const { start } = await startLargeImport({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(terminal)}`,
    });
    const { code, stderr } = await start().exit;
    expect(code).toBe(0);
    expect(stderr).toContain("100% | 12000 rows | 0 failed");
    expect(stderr).not.toContain("created");
  });

  it("ends with the same result when it is killed and run again", async () => {
    const interruptedImport = await startLargeImport();
    const child = interruptedImport.start();
    await whenUnderWay(child);
    child.process.kill("SIGKILL");
    await child.exit;
    const remainingCount = (await interruptedImport.acme.listAll()).length;
    expect(remainingCount).toBeGreaterThanOrEqual(5_000);
    expect(remainingCount).toBeLessThan(COUNT);
    const secondRun = await interruptedImport.start().exit;
    expect(secondRun).toMatchObject({
      code: 0,
      stdout: `12000 rows: ${COUNT - remainingCount} created, 0 updated, ${remainingCount} unchanged, 0 failed\n`,
    });

    const fullImport = await startLargeImport();
    await fullImport.start().exit;
    expect(await interruptedImport.acme.listAll()).toEqual(await fullImport.acme.listAll());
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "stops between two batches on %s, and reports how many rows it imported",
    async (signal) => {
      const { acme, start } = await startLargeImport();
      const child = start();
      await whenUnderWay(child);
      child.process.kill(signal);
      const { code, stdout, stderr } = await child.exit;
      const { length } = await acme.listAll();
      expect({ code, stdout }).toEqual({
        code: 1,
        stdout: `${length} rows: ${length} created, 0 updated, 0 unchanged, 0 failed\n`,
      });
      expect(length).toBeLessThan(COUNT);
      expect(stderr).toMatch(/\nloyalty-kit: interrupted; .+\n$/);
    },
  );
});

describe.concurrent("an import from standard input", () => {
  async function startImportFromInput() {
    const acme = await openNewCustomers();
    const child = spawn(process.execPath, [program, "import", "-", ...acme.databaseArgs]);
    addCleanup(() => child.kill("SIGKILL"));
    const exit = once(child, "close");
    return { acme, child, exit };
  }

  it("reads until the input ends", async () => {
    const { acme, child, exit } = await startImportFromInput();
    child.stdin.write("email,na");
    child.stdin.end("me\r\nada@example.com,Ada\r\n");
    expect(await exit).toEqual([0, null]);
    expect(await acme.listAll()).toMatchObject([{ name: "Ada" }]);
  });

  it("stops on SIGINT while it waits for input", async ({ expect }) => {
    const { acme, child, exit } = await startImportFromInput();
    child.stdin.write("email,name\r\nada@example.com,Ada\r\n");
    await expect.poll(() => existsSync(join(acme.folder, "loyalty.db-wal"))).toBe(true);
    child.kill("SIGINT");
    expect(await exit).toEqual([1, null]);
  });
});
