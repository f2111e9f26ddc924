import { CallError } from "../api/call-error.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";

/** The dialog that imports customers. Its code is loaded only when the dialog opens. */
export function LoadedImport(props: { readonly onClose: () => void; readonly onDone: () => void }) {
  const code = useLoad("code", loadImport);
  return <Loading of={code}>{({ Import }) => <Import {...props} />}</Loading>;
}

/** @throws {CallError} if the server can't be reached. */
async function loadImport() {
  try {
    const { Import } = await import("./import.js");
    return { Import };
  } catch {
    throw new CallError(0, null);
  }
}
