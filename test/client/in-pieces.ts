import { createClient } from "loyalty-kit/client";

/** Creates a client whose response comes in these pieces. Records what it has read, and whether it has stopped. */
export function createClientInPieces(...pieces: (Uint8Array | Error)[]) {
  const progress = { read: 0, isAbandoned: false };
  const remaining = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = remaining.shift();
        progress.read += 1;
        if (piece === undefined) controller.close();
        else if (piece instanceof Error) controller.error(piece);
        else controller.enqueue(piece);
      },
      cancel() {
        progress.isAbandoned = true;
      },
    },
    { highWaterMark: 0 },
  );
  const client = createClient({ url: "http://api", token: null, fetch: async () => new Response(body) });
  return { client, progress };
}
