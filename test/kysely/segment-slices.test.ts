import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/checking";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { Bitmap, CHUNK_SIZE, chunkToBytes } from "../../src/storage/bitmap.js";
import { newSqlDatabases } from "../kit/sql-database.js";
import { membersInChunks } from "./later-than-38.js";

/** Bytes from their hexadecimal form. */
const bytesFrom: Readonly<Record<string, (hex: string) => string>> = {
  sqlite: (hex) => `x'${hex}'`,
  postgres: (hex) => `decode('${hex}', 'hex')`,
};

describe.each(Object.entries(newSqlDatabases))(
  "members of segments of the version before slices, on %s,",
  (name, newDatabase) => {
    it("are the same after the migration, and go with their segment", async () => {
      const { open, execute } = await newDatabase();
      const before = new LoyaltyService({ storage: await open() });
      const { segments } = before.organization("acme");
      const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
      const { id } = await segments.create({ name: "VIPs", filter, emitsEvents: true });
      const others = await segments.create({ name: "Others", filter, emitsEvents: true });
      await before.close();
      const ordinals = [0, 1_023, 1_024, 5_000, CHUNK_SIZE - 1, CHUNK_SIZE, 3 * CHUNK_SIZE + 77];
      await execute(`${membersInChunks} delete from loyalty_migrations where version >= 42`);
      const members = Bitmap.of(ordinals);
      for (let at = 0; at < members.length; at += 1) {
        const chunk = members.chunk(at);
        const bytes = bytesFrom[name]?.(Buffer.from(chunk ? chunkToBytes(chunk) : []).toString("hex"));
        if (chunk !== undefined)
          await execute(`insert into loyalty_segment_members values ('acme', '${id}', ${at}, ${bytes})`);
      }

      const storage = await open();
      const after = new LoyaltyService({ storage });
      onTestFinished(() => after.close());
      const told = async (segmentId: string) =>
        (await run(storage.segmentMembers("acme", segmentId))).from(0, 1_000);
      expect(await told(id)).toEqual(ordinals);
      expect(await told(others.id)).toEqual([]);
      await after.organization("acme").segments.delete("vips");
      expect(await told(id)).toEqual([]);
      expect(await checkStorage(storage)).toEqual([]);
    });
  },
);
