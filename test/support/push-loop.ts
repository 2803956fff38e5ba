import { randomBytes } from 'node:crypto';
import { topicCertificate } from '../../scripts/apns-relay/credentials.ts';
import { startRelay } from '../../scripts/apns-relay/relay.ts';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { admin, type Client } from './api.ts';
import { ApnsStandIn } from './apns-stand-in.ts';
import { control } from './control.ts';
import { type PhoneOptions, SimulatedPhone } from './phone.ts';

/**
 * The whole route of a push for one account: its own certificate, the relay, and a stand-in for Apple that delivers to
 * simulated phones.
 */
export interface PushLoop {
  passTypeId: string;
  apns: ApnsStandIn;
  /** Creates a phone that receives its pushes. */
  phone(options?: PhoneOptions): SimulatedPhone;
  /** From now on, Apple reports this phone's token as unregistered. */
  wipe(phone: SimulatedPhone): void;
  close(): Promise<void>;
}

/** Opens the route for an account, and configures it like an operator. */
export async function openPushLoop({ accountId }: Client): Promise<PushLoop> {
  const passTypeId = `pass.com.example.loop-${randomBytes(4).toString('hex')}`;
  const { rootPem, ...files } = await createDevelopmentAuthority({
    passTypeId,
    teamId: 'TESTTEAM01',
    organizationName: 'Example',
    keyType: 'ec',
  });
  const phones = new Map<string, SimulatedPhone>();
  const wiped = new Set<string>();
  const apns = await ApnsStandIn.open({
    clientRootPem: rootPem,
    answer: ({ token }) => (wiped.has(token) ? { status: 410, reason: 'Unregistered' } : undefined),
  });
  apns.onPush(({ token, topic }) => {
    if (!wiped.has(token)) phones.get(token)?.receivePush(topic);
  });
  const token = randomBytes(32).toString('hex');
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    token,
    credentials: { certificates: [topicCertificate(files, 'the certificate')] },
    apnsOrigin: apns.origin,
    apnsCaPem: apns.rootPem,
  });
  const hostname = `${randomBytes(6).toString('hex')}.example.com`;
  await control('registerHost', { hostname, origin: relay.origin });
  const { certificateId } = await admin<{ certificateId: string }>('certificate import', {
    account: accountId,
    ...files,
    development: true,
  });
  await admin('certificate push', { id: certificateId, 'relay-url': `https://${hostname}`, 'relay-token': token });
  return {
    passTypeId,
    apns,
    phone(options) {
      const phone = new SimulatedPhone(options);
      phones.set(phone.pushToken, phone);
      return phone;
    },
    wipe: (phone) => void wiped.add(phone.pushToken),
    async close() {
      await control('registerHost', { hostname });
      await relay.close();
      await apns.close();
    },
  };
}
