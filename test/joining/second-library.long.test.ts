import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { takePortion } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { inspectFile, openTransactionOn, secondLibraries } from "./second-libraries.js";
import { createCustomer } from "./shop.js";

const ROUNDS = takePortion(500, 100);

describe.each(secondLibraries)(
  `${ROUNDS} sales that join through $name, among the library's own changes`,
  ({ open }) => {
    it.each([
      ["and stays open", ROUNDS],
      ["and is closed after every seventh sale", 7],
      ["and is closed after every sale", 1],
    ])("lose nothing that succeeded, though it opens the file beside the library, %s", async (_, sales) => {
      const file = createTemporaryFile();
      const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
      onTestFinished(() => loyalty.close());
      const acme = loyalty.organization("acme");
      const { card } = await createCustomer(acme);
      let answerCount = 0;
      const reportOutcome = async (call: Promise<unknown>) => {
        const isDone = await call.then(
          () => true,
          () => false,
        );
        if (isDone) answerCount += 1;
        return isDone;
      };
      let second = open(file);
      for (let round = 1; round <= ROUNDS; round += 1) {
        await reportOutcome(acme.stamps.add(card));
        second.exec("begin");
        const isJoined = await reportOutcome(acme.joining(openTransactionOn(second)).stamps.add(card));
        const own = reportOutcome(acme.stamps.add(card));
        second.exec(isJoined ? "commit" : "rollback");
        await own;
        if (round % sales > 0) continue;
        second.close();
        second = open(file);
      }
      second.close();
      expect(answerCount).toBeGreaterThan(0);
      expect(inspectFile(file)).toEqual({ stamps: answerCount, integrity: "ok" });
    });
  },
);
