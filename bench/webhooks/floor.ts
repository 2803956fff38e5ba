import { createHmac } from 'node:crypto';

/** Parameters of one round of the floor. */
export interface FloorRun {
  /** Receivers, used in turn. */
  targets: string[];
  count: number;
  connections: number;
  body: string;
  /** Base64. */
  secret: string;
}

/** The least that a sender can do: a loop that signs and posts, and records nothing. */
async function run({ targets, count, connections, body, secret }: FloorRun): Promise<void> {
  const key = Buffer.from(secret, 'base64');
  let next = 0;
  const sender = async () => {
    for (let at = next++; at < count; at = next++) {
      const id = crypto.randomUUID();
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
      const reply = await fetch(targets[at % targets.length]!, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'pass-wallet-webhooks/1',
          'X-Event-Type': 'pass_deleted',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        body,
        redirect: 'manual',
      });
      await reply.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
}

export default {
  async fetch(request: Request): Promise<Response> {
    await run(await request.json());
    return new Response('done');
  },
};
