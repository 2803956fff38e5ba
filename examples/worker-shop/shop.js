// A shop in a Worker: it sells tickets, and notes in KV which of them were used.
import { PassWallet, verifyWebhook } from 'pass-wallet-client';

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && pathname === '/orders') return sell(await request.json(), env);
    if (request.method === 'POST' && pathname === '/hook') return receive(request, env);
    const order = pathname.startsWith('/orders/') && (await env.ORDERS.get(pathname.slice('/orders/'.length)));
    return order ? new Response(order, { headers: JSON_TYPE }) : Response.json({ error: 'unknown' }, { status: 404 });
  },
};

const JSON_TYPE = { 'Content-Type': 'application/json' };

function walletOf(env) {
  const { PASS_WALLET_URL: baseUrl, PASS_WALLET_KEY: apiKey, PASSES } = env;
  return new PassWallet({ baseUrl, apiKey, ...(PASSES && { fetch: (url, init) => PASSES.fetch(url, init) }) });
}

/** The number of the order is the key: an order that is sent twice gets one ticket. */
async function sell({ number, name }, env) {
  if (typeof number !== 'string' || typeof name !== 'string') {
    return Response.json({ error: 'number and name' }, { status: 400 });
  }
  const body = { data: { templateId: env.TEMPLATE_ID, userProvidedId: number, Name: name } };
  const { data: pass } = await walletOf(env).createPassV3({ body }, { idempotencyKey: `order-${number}` });
  const order = (await env.ORDERS.get(number, 'json')) ?? { number, name, ticket: pass.downloadPage, entered: false };
  await env.ORDERS.put(number, JSON.stringify(order));
  return Response.json(order, { status: 201 });
}

/** To note twice that a ticket was used changes nothing, so a repeated event does no harm. */
async function receive(request, env) {
  const event = await verifyWebhook(request.headers, await request.text(), env.WEBHOOK_SECRET).catch(() => undefined);
  if (!event) return Response.json({ error: 'not signed' }, { status: 401 });
  if (event.type === 'app_scan_created' && event.data.scanStatus === 0) {
    const order = await env.ORDERS.get(event.data.passUserProvidedId ?? '', 'json');
    if (order) await env.ORDERS.put(order.number, JSON.stringify({ ...order, entered: true }));
  }
  return new Response(null, { status: 204 });
}
