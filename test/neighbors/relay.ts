import { createServer, type Socket } from "node:net";
import { PUBLIC_URL } from "./wallet-setup.js";

/** What a mail server does: it takes each mail, takes it after ten seconds, or drops every connection. */
export type RelayState = "well" | "slow" | "dead";

const SLOW_MS = 10_000;

/** A mail server whose state can change at any moment. */
export interface Relay {
  /** Command-line flags for it. */
  readonly flags: readonly string[];
  /** Changes the state. Mails that wait for a slow server are answered when it is well. */
  setState(state: RelayState): void;
  /**
   * Waits for a mail to an address.
   * @returns milliseconds between the first mail to any address since this call and this mail; `Infinity` if it didn't
   *  come in time.
   */
  waitForDelay(address: string, withinMs: number): Promise<number>;
  close(): void;
}

export async function startRelay(): Promise<Relay> {
  let state: RelayState = "well";
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const listeners = new Set<(to: string) => void>();
  const answerLater = (answer: () => void) => {
    const answerNow = () => {
      clearTimeout(timer);
      if (waiting.delete(answerNow)) answer();
    };
    const timer = setTimeout(answerNow, state === "slow" ? SLOW_MS : 0);
    waiting.add(answerNow);
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (state === "dead") {
      socket.destroy();
      return;
    }
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    serveSmtp(socket, (to) => {
      answerLater(() => {
        socket.write("250 2.0.0 Ok: queued\r\n");
        for (const listener of listeners) listener(to);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the relay does not listen");
  return {
    flags: [
      "--mail-from",
      `cards@${new URL(PUBLIC_URL).host}`,
      "--smtp-url",
      `smtp://127.0.0.1:${address.port}`,
    ],
    setState(next) {
      state = next;
      if (next === "well") for (const go of waiting) go();
      if (next === "dead") for (const socket of sockets) socket.destroy();
    },
    waitForDelay(recipient, withinMs) {
      return new Promise((resolve) => {
        let first: number | null = null;
        const end = (delay: number) => {
          clearTimeout(timer);
          listeners.delete(listener);
          resolve(delay);
        };
        const listener = (to: string) => {
          first ??= Date.now();
          if (to === recipient) end(Date.now() - first);
        };
        const timer = setTimeout(() => end(Number.POSITIVE_INFINITY), withinMs);
        listeners.add(listener);
      });
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Speaks as much SMTP as a mail needs. @param onMail gets the recipient of a complete mail, and answers it. */
function serveSmtp(socket: Socket, onMail: (to: string) => void): void {
  let text = "";
  let to = "";
  let isMail = false;
  socket.write("220 relay ESMTP\r\n");
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    for (;;) {
      const end = text.indexOf(isMail ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const line = text.slice(0, end);
      text = text.slice(end + (isMail ? 5 : 2));
      if (isMail) {
        isMail = false;
        onMail(to);
        continue;
      }
      const command = line.slice(0, 4).toUpperCase();
      to = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1] ?? to;
      isMail = command === "DATA";
      socket.write(isMail ? "354 Go on\r\n" : command === "QUIT" ? "221 Bye\r\n" : "250 Ok\r\n");
    }
  });
}
