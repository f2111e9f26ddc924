import { isLoyaltyError } from "loyalty-kit";

export async function POST({ request, locals }) {
  const { card } = await request.json();
  try {
    return Response.json(await locals.cafe.stamps.add(card));
  } catch (error) {
    if (isLoyaltyError(error)) return error.getResponse();
    throw error;
  }
}
