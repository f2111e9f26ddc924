import { memoryStorage } from "loyalty-kit/memory";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";

testStorage({ describe, it }, async () => memoryStorage());
