import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { someEmail } from "../kit/acme.js";
import { bundleProgram } from "../kit/bundled-program.js";
import { openFaulty, withSetting } from "./faults/backends.js";
import { unavailable } from "./faults/refused.js";

/** Stops another process during a change, as a debugger or a sleeping machine would. */
async function stopHolder(url: string) {
  const program = bundleProgram(join(import.meta.dirname, "faults/hold-organization.ts"));
  const child = spawn(process.execPath, [program, url], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return child;
}

describe("while a process that has an organization locked is stopped", () => {
  it("other organizations continue immediately, and changes of the locked one are refused until the server ends the session", async () => {
    const { place } = await openFaulty();
    const loyalty = new LoyaltyService({ storage: await postgresStorage(place.url, { lockTimeoutMs: 500 }) });
    onTestFinished(() => loyalty.close());
    const [heldOrganization, free] = [loyalty.organization("acme"), loyalty.organization("free")];
    for (const organization of [heldOrganization, free])
      await organization.users.create({ email: someEmail() });
    const idle = "idle_in_transaction_session_timeout=8000";
    const stopped = await stopHolder(withSetting(place.url, idle));

    const writing = heldOrganization.users.create({ email: someEmail() });
    const rejection = expect(writing).rejects.toMatchObject({ ...unavailable, cause: { code: "55P03" } });
    for (let time = 1; time <= 5; time += 1) {
      await free.users.create({ email: someEmail() });
      expect((await free.contacts.list()).totalElements).toBe(time + 1);
      expect((await heldOrganization.contacts.list()).totalElements).toBe(1);
    }
    await rejection;

    const writeAgain = () =>
      heldOrganization.users.create({ email: someEmail() }).then(() => "written", String);
    await expect.poll(writeAgain, { interval: 200 }).toBe("written");
    expect(await heldOrganization.tags.list()).toEqual([]);
    stopped.kill("SIGCONT");
    const [code] = await once(stopped, "exit");
    expect(code).not.toBe(0);
    expect(await heldOrganization.tags.list()).toEqual([]);
  });
});
