import { openLoyalty } from "../../../lib/loyalty.js";

export async function GET(request) {
  const { api } = await openLoyalty();
  return api.fetch(request);
}

export { GET as POST, GET as PUT, GET as PATCH, GET as DELETE };
