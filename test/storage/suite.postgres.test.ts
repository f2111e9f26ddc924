import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { newStorage } from "../postgres/opened.js";

testStorage({ describe, it }, newStorage);
