// node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': sent = '' } = request.headers;
  const mine = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`);
  const isMine = (one) => Buffer.byteLength(one) === mine.length && timingSafeEqual(Buffer.from(one), mine);
  if (!sent.split(' ').some(isMine) || !(Math.abs(Date.now() / 1000 - at) < 300)) return response.writeHead(401).end();
  console.log(request.headers['x-event-type'], JSON.parse(body));
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 3000);
