// node receiver.mjs
import { createServer } from 'node:http';
import { verifyWebhook } from 'pass-wallet-client';

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const event = await verifyWebhook(request.headers, body, process.env.WEBHOOK_SECRET).catch(() => undefined);
  if (event) console.log(event.type, event.data);
  response.writeHead(event ? 204 : 401).end();
}).listen(process.env.PORT ?? 3000);
