import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { isInThisRun } from "../kit/this-run.js";
import { newStorage } from "../postgres/opened.js";

/** `npm test` lives through one history of the law on a server, and `npm run test:postgres` through all. */
const isLived = (name: string) => isInThisRun("Postgres") || !/in history (?!1 )/.test(name);

testStorage({ describe, it: (name, test) => isLived(name) && it(name, test) }, newStorage);
