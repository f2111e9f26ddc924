/* A worker at the edge that receives webhooks. It needs `node:crypto` of the platform, which Cloudflare, Deno and Bun have. */
import { verifyWebhook, WebhookVerificationError } from "loyalty-kit/webhooks";

interface Environment {
  readonly WEBHOOK_SECRET: string;
}

export default {
  async fetch(request: Request, { WEBHOOK_SECRET }: Environment): Promise<Response> {
    try {
      const { type } = verifyWebhook(request.headers, await request.text(), WEBHOOK_SECRET);
      return new Response(`heard ${type}`);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return new Response(error.reason, { status: 400 });
    }
  },
};
