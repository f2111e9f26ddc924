import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { addCleanup } from "../kit/afterwards.js";
import { program, type Running, start } from "./command.js";
import { customers, manyCustomers } from "./customers.js";
import { newDatabase } from "./new-database.js";

const COUNT = 12_000;

/** Customers in a database that has its tables. */
async function newCustomers() {
  const database = await newDatabase();
  return customers("acme", dirname(database), database);
}

/** The import of a file so large that it has told of its progress before it is done. */
async function largeImport(environment: Readonly<Record<string, string>> = {}) {
  const acme = await newCustomers();
  const file = acme.newFile();
  writeFileSync(file, manyCustomers(COUNT));
  const args = [program, "import", file, "--create-tags", ...acme.place];
  return { acme, start: () => start(args, environment) };
}

/** Resolves when the import tells of its progress. */
async function underWay({ process }: Running): Promise<void> {
  if (process.stderr === null) throw new Error("it tells nothing");
  await once(process.stderr, "data");
}

describe("an import of many rows", () => {
  it("tells of its progress in lines where there is no terminal", async () => {
    const { start } = await largeImport();
    const { code, stdout, stderr } = await start().ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "12000 rows: 12000 created, 0 updated, 0 unchanged, 0 failed\n",
    });
    expect(stderr).toBe(
      "5000 rows: 5000 created, 0 updated, 0 unchanged, 0 failed\n10000 rows: 10000 created, 0 updated, 0 unchanged, 0 failed\n",
    );
  });

  it("shows a bar on a terminal", async () => {
    const terminal = "process.stderr.isTTY = true; process.stderr.columns = 120;";
    const { start } = await largeImport({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(terminal)}`,
    });
    const { code, stderr } = await start().ended;
    expect(code).toBe(0);
    expect(stderr).toContain("100 % | 12000 rows | 0 failed");
    expect(stderr).not.toContain("created");
  });

  it("comes to the same end when it was killed and is run again", async () => {
    const killed = await largeImport();
    const running = killed.start();
    await underWay(running);
    running.process.kill("SIGKILL");
    await running.ended;
    const left = (await killed.acme.all()).length;
    expect(left).toBeGreaterThanOrEqual(5_000);
    expect(left).toBeLessThan(COUNT);
    const again = await killed.start().ended;
    expect(again).toMatchObject({
      code: 0,
      stdout: `12000 rows: ${COUNT - left} created, 0 updated, ${left} unchanged, 0 failed\n`,
    });

    const whole = await largeImport();
    await whole.start().ended;
    expect(await killed.acme.all()).toEqual(await whole.acme.all());
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends between two batches on %s, and says how far it is",
    async (signal) => {
      const { acme, start } = await largeImport();
      const running = start();
      await underWay(running);
      running.process.kill(signal);
      const { code, stdout, stderr } = await running.ended;
      const { length } = await acme.all();
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
  async function fromInput() {
    const acme = await newCustomers();
    const child = spawn(process.execPath, [program, "import", "-", ...acme.place]);
    addCleanup(() => child.kill("SIGKILL"));
    const ended = once(child, "close");
    return { acme, child, ended };
  }

  it("takes what comes until its end", async () => {
    const { acme, child, ended } = await fromInput();
    child.stdin.write("email,na");
    child.stdin.end("me\r\nada@example.com,Ada\r\n");
    expect(await ended).toEqual([0, null]);
    expect(await acme.all()).toMatchObject([{ name: "Ada" }]);
  });

  it("that does not come ends on SIGINT", async ({ expect }) => {
    const { acme, child, ended } = await fromInput();
    child.stdin.write("email,name\r\nada@example.com,Ada\r\n");
    await expect.poll(() => existsSync(join(acme.folder, "loyalty.db-wal"))).toBe(true);
    child.kill("SIGINT");
    expect(await ended).toEqual([1, null]);
  });
});
