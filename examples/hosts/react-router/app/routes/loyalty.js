import { openLoyalty } from "../loyalty.server.js";

export async function loader({ request }) {
  const { api } = await openLoyalty();
  return api.fetch(request);
}

export { loader as action };
