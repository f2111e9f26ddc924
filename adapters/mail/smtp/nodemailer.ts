import type { createTransport } from "nodemailer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** The parts of nodemailer that are used: one connection, and the making of messages. */
export interface Nodemailer {
  readonly Connection: typeof SMTPConnection;
  readonly createTransport: typeof createTransport;
}

let loading: Promise<Nodemailer> | null = null;

/** Loads nodemailer with the first mail. @throws {PackageMissing} when it is not installed; then it is looked for again. */
export async function loadedNodemailer(): Promise<Nodemailer> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    loading = null;
    throw error;
  }
}

/** Says what to install. */
export class PackageMissing extends Error {
  override readonly name = "PackageMissing";
}

async function load(): Promise<Nodemailer> {
  try {
    const [connection, nodemailer] = await Promise.all([
      import("nodemailer/lib/smtp-connection"),
      import("nodemailer"),
    ]);
    return { Connection: connection.default, createTransport: nodemailer.createTransport };
  } catch (cause) {
    throw new PackageMissing("mails can't be sent over SMTP without nodemailer: npm install nodemailer@10", {
      cause,
    });
  }
}
