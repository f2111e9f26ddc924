/** Nuxt answers a refusal with its status. */
export default defineEventHandler(async (event) => {
  const { card } = await readBody(event);
  const { loyalty } = await openLoyalty();
  return loyalty.organization("cafe").stamps.add(card);
});
