// A shop that sells tickets: PASS_WALLET_URL=… PASS_WALLET_KEY=… PUBLIC_URL=… npm start
import { createServer } from 'node:http';
import { PassWallet, PassWalletError, verifyWebhook } from 'pass-wallet-client';
import { TICKET } from './ticket.mjs';

const { PASS_WALLET_URL, PASS_WALLET_KEY, PUBLIC_URL, PORT = '3000' } = process.env;
const wallet = new PassWallet({ baseUrl: PASS_WALLET_URL, apiKey: PASS_WALLET_KEY });

/** Orders by number. A real shop keeps them, and the events that it has seen, in its database. */
const orders = new Map();
const seenEvents = new Set();

await ensureTemplate();
const secrets = PUBLIC_URL ? await subscribe(['app_scan_created', 'pushnotification_registered']) : {};
createServer((request, response) => {
  route(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(PORT), () => console.log(`The shop is open on port ${PORT}.`));

/** The template has a name of ours, so a second start finds it. */
async function ensureTemplate() {
  try {
    await wallet.describeTemplate({ path: { id: TICKET.userProvidedId } });
  } catch (error) {
    if (!(error instanceof PassWalletError) || error.status !== 404) throw error;
    await wallet.createTemplate({ body: TICKET });
  }
}

/** Signing secrets by event. To subscribe again with the same URL updates the webhook. */
async function subscribe(events) {
  const made = events.map(async (event) => {
    const body = { event, target_url: `${PUBLIC_URL}/hook/${event}`, retryEnabled: true };
    const { secret } = await wallet.subscribe({ body, headers: { Prefer: 'return=representation' } });
    return [event, secret];
  });
  return Object.fromEntries(await Promise.all(made));
}

async function route(request, response) {
  const [, page, name] = new URL(request.url, 'http://shop').pathname.split('/');
  const body = Buffer.concat(await request.toArray());
  if (request.method === 'POST' && page === 'orders') return sell(JSON.parse(body), response);
  if (request.method === 'POST' && page === 'hook') return receive(request, body, secrets[name], response);
  const order = page === 'orders' && orders.get(name);
  return order ? json(response, 200, order) : json(response, 404, { error: 'unknown' });
}

/** The number of the order is the key: an order that is sent twice gets one ticket. */
async function sell({ number, name }, response) {
  if (typeof number !== 'string' || typeof name !== 'string') return json(response, 400, { error: 'number and name' });
  const data = { templateId: TICKET.userProvidedId, userProvidedId: number, Name: name };
  const options = { idempotencyKey: `order-${number}`, timeoutMs: 10_000 };
  const { data: pass } = await wallet.createPassV3({ query: { async: false }, body: { data } }, options);
  const order = orders.get(number) ?? { number, name, ticket: pass.downloadPage, installed: false, entered: false };
  orders.set(number, order);
  return json(response, 201, order);
}

/** Events can arrive twice, and about passes that the shop does not know. */
async function receive(request, body, secret, response) {
  const event = await verifyWebhook(request.headers, body, secret).catch(() => undefined);
  if (!event) return json(response, 401, { error: 'not signed' });
  if (!seenEvents.has(event.id)) {
    seenEvents.add(event.id);
    if (event.type === 'app_scan_created' && [0, 2].includes(event.data.scanStatus)) {
      update(event.data.passUserProvidedId, { entered: true });
    }
    if (event.type === 'pushnotification_registered') update(event.data.userProvidedId, { installed: true });
  }
  response.writeHead(204).end();
}

function update(number, change) {
  const order = orders.get(number);
  if (order) Object.assign(order, change);
}

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
