import { settingsRecord } from "../../../../../src/storage/settings.js";
import { someSettings } from "../../kit/records.js";
import type { Write, WriteName } from "./choosing.js";

const zones = ["UTC", "Asia/Kolkata", "Pacific/Apia", "America/Havana", "Mars/Olympus"];

export const settingsWrites = {
  putSettings: (tx, world) =>
    tx.putSettings(
      someSettings({
        ...world.createFields(settingsRecord),
        ...(!world.oneIn(4) && { timeZone: world.pickOne(zones) }),
      }),
    ),
} satisfies Partial<Record<WriteName, Write>>;
