import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

/** Opens storage in a new file, and another program's connection that reads its committed tags. */
export async function openWithConnection() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const other = otherProgram(file);
  const countCommitted = () =>
    other.prepare<[], string>("select slug from loyalty_user_tags order by slug").pluck().all();
  return { file, storage, other, committed: countCommitted };
}
