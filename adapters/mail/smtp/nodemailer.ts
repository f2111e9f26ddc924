import type { createTransport } from "nodemailer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { peer } from "../../setup/peer.js";

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

async function load(): Promise<Nodemailer> {
  const [connection, nodemailer] = await peer("nodemailer", () =>
    Promise.all([import("nodemailer/lib/smtp-connection"), import("nodemailer")]),
  );
  return { Connection: connection.default, createTransport: nodemailer.createTransport };
}
