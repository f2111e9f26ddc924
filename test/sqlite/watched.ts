import { open, otherProgram } from "./opened.js";
import { createTemporaryFile } from "./temporary-file.js";

/** Storage in a new file, and what another program sees of its tags. */
export async function openWithConnection() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const other = otherProgram(file);
  const countCommitted = () =>
    other.prepare<[], string>("select slug from loyalty_user_tags order by slug").pluck().all();
  return { file, storage, other, committed: countCommitted };
}
