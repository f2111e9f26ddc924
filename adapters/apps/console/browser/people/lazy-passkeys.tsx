import { CallError } from "../api/call-error.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";

/**
 * Lists the signed-in staff member's passkeys. Loads the code for passkeys on demand.
 * @param origin the only origin where passkeys can be added and used.
 */
export function LazyPasskeys({ origin }: { readonly origin: string }) {
  const code = useLoad("code", loadPasskeys);
  return (
    <Loading of={code} height="8rem">
      {({ AccountPasskeys }) => <AccountPasskeys origin={origin} />}
    </Loading>
  );
}

/** @throws {CallError} if the server can't be reached. */
async function loadPasskeys() {
  try {
    const { AccountPasskeys } = await import("./account-passkeys.js");
    return { AccountPasskeys };
  } catch {
    throw new CallError(0, null);
  }
}
