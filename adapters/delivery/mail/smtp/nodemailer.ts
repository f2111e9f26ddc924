import type { createTransport } from "nodemailer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { throwMissing } from "../../../setup/peers.js";

/** The parts of nodemailer that are used here: opening single connections and encoding emails. */
export interface Nodemailer {
  readonly Connection: typeof SMTPConnection;
  readonly createTransport: typeof createTransport;
}

let loading: Promise<Nodemailer> | null = null;

/**
 * Loads nodemailer. Call this only when nodemailer is needed, because the package is optional.
 * @throws {PackageMissing} if nodemailer isn't installed. The next call tries again.
 */
export async function loadNodemailer(): Promise<Nodemailer> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    loading = null;
    throw error;
  }
}

async function load(): Promise<Nodemailer> {
  const missing = throwMissing("nodemailer");
  const [connection, nodemailer] = await Promise.all([
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "nodemailer/lib/smtp-connection").catch(
      missing,
    ),
    import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "nodemailer").catch(missing),
  ]);
  return { Connection: connection.default, createTransport: nodemailer.createTransport };
}
